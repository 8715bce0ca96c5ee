// NumPy's files: NPY (one array) and NPZ (a zip of named arrays), read and written without NumPy.
// Reading trusts nothing: every length is checked against the bytes that are there before memory is asked
// for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace stunt {

enum class NpyType { f4, f8, i4, i8, u1, boolean, text };
std::string_view name(NpyType type);  // "f4"; "bool"; "text"

// An array in C order, little-endian.
struct NpyArray {
  NpyType type = NpyType::u1;
  std::vector<std::size_t> shape;  // empty: one number
  std::string bytes;  // type text: the first string of the array in UTF-8 (NumPy's kinds U and S)

  std::size_t size() const;       // numbers in it
  std::size_t item_size() const;  // bytes of one number
};

// One NPY file. `place` names it in errors. Fortran order is turned into C order. Refused with an InputError:
// other number types, big-endian numbers, pickled objects, sizes that do not fit the bytes.
NpyArray parse_npy(std::string_view bytes, const std::string& place);
std::string format_npy(NpyType type, std::span<const std::size_t> shape, std::string_view data);

template <typename T>
constexpr NpyType npy_type() {
  if constexpr (std::is_same_v<T, float>) return NpyType::f4;
  if constexpr (std::is_same_v<T, double>) return NpyType::f8;
  if constexpr (std::is_same_v<T, std::int32_t>) return NpyType::i4;
  if constexpr (std::is_same_v<T, std::int64_t>) return NpyType::i8;
  if constexpr (std::is_same_v<T, bool>) return NpyType::boolean;
  return NpyType::u1;
}
template <typename T>
concept NpyNumber =
    std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, std::int32_t> ||
    std::is_same_v<T, std::int64_t> || std::is_same_v<T, std::uint8_t> || std::is_same_v<T, bool>;

// Builds an NPZ. Equal arrays in equal order give equal bytes: time stamps are fixed.
class NpzWriter {
 public:
  // zlib's level, 0 (all stored) to 9; 1 is fast and finds most of what deflate can find in numbers. Large
  // arrays that would shrink by less than a fifth are stored.
  explicit NpzWriter(int level = 1) : level_(level) {}

  template <NpyNumber T>
  void add(const std::string& array, std::span<const T> values, std::vector<std::size_t> shape) {
    add_bytes(array, npy_type<T>(), shape,
              {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)});
  }
  template <NpyNumber T>
  void add(const std::string& array, const std::vector<T>& values) {
    add(array, std::span<const T>(values), {values.size()});
  }
  template <NpyNumber T>
  void add_number(const std::string& array, T value) {
    add(array, std::span<const T>(&value, 1), {});
  }
  void add_text(const std::string& array, std::string_view text);  // as u1, one per byte

  // The whole file. Throws RunError beyond 4 GB, zip's limit.
  std::string finish();

 private:
  void add_bytes(const std::string& array, NpyType type, std::span<const std::size_t> shape,
                 std::string_view data);

  int level_;
  std::string file_, directory_;
  int entries_ = 0;
};

// Reads an NPZ: the table of contents at once, each array when it is asked for. Stored and deflated entries.
class NpzFile {
 public:
  // `largest`: an array that unpacks to more bytes is refused. Throws InputError.
  NpzFile(std::string bytes, std::string place, std::size_t largest = std::size_t{1} << 30);

  bool has(const std::string& array) const { return entries_.contains(array); }
  std::vector<std::string> names() const;
  NpyArray read(const std::string& array)
      const;  // InputError when it is absent (the message lists the names) or broken

  // Numbers of any type, converted.
  std::vector<double> numbers(const std::string& array) const;
  double number(const std::string& array) const;     // of an array with one number
  std::string text(const std::string& array) const;  // of u1 or of NumPy's strings

  // Exactly this type, and `count` numbers.
  template <NpyNumber T>
  requires(!std::is_same_v<T, bool>) std::vector<T> exactly(const std::string& array, std::size_t count)
  const {
    const NpyArray found = read_exactly(array, npy_type<T>(), count);
    std::vector<T> values(count);
    if (count > 0) std::memcpy(values.data(), found.bytes.data(), found.bytes.size());
    return values;
  }

  const std::string& place() const { return place_; }

 private:
  struct Entry {
    std::size_t offset, packed, unpacked;
    std::uint32_t crc;
    int method;
  };
  std::string unpack(const std::string& array) const;
  NpyArray read_exactly(const std::string& array, NpyType type, std::size_t count) const;

  std::string bytes_, place_;
  std::size_t largest_;
  std::map<std::string, Entry> entries_;
};

}  // namespace stunt
