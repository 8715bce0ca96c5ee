// Formats: NumPy's "NPY format" page (numpy.lib.format), and PKWARE's APPNOTE.TXT sections 4.3 and 4.5 for
// zip.
#include "stunt/core/npz.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstring>
#include <limits>

#include "stunt/core/error.h"

namespace stunt {
static_assert(std::endian::native == std::endian::little, "arrays are copied as they lie in memory");
namespace {

constexpr std::string_view kMagic{"\x93NUMPY", 6};
constexpr std::uint32_t kLocal = 0x04034b50, kCentral = 0x02014b50, kEnd = 0x06054b50;
constexpr std::size_t kLocalSize = 30, kCentralSize = 46, kEndSize = 22;
constexpr std::uint16_t kFixedDate = 0x0021;  // 1 January 1980, the first day zip knows
constexpr std::size_t kLargestRatio = 1032;   // deflate cannot pack better than this

template <typename T>
void put(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

// Reads a number; the caller has checked that it is there.
template <typename T>
T get(std::string_view bytes, std::size_t at) {
  T value;
  std::memcpy(&value, bytes.data() + at, sizeof(T));
  return value;
}

struct TypeRow {
  NpyType type;
  std::string_view name, descr;
  std::size_t size;
};
constexpr TypeRow kTypes[] = {
    {NpyType::f4, "f4", "<f4", 4},  {NpyType::f8, "f8", "<f8", 8}, {NpyType::i4, "i4", "<i4", 4},
    {NpyType::i8, "i8", "<i8", 8},  {NpyType::u1, "u1", "|u1", 1}, {NpyType::boolean, "bool", "|b1", 1},
    {NpyType::text, "text", "", 1},
};
const TypeRow& row(NpyType type) { return kTypes[static_cast<int>(type)]; }

// The product of a shape; refuses what no file can hold.
std::size_t count_of(std::span<const std::size_t> shape, const std::string& place) {
  std::size_t count = 1;
  for (const std::size_t n : shape) {
    if (n != 0 && count > (std::size_t{1} << 48) / n) {
      throw InputError(place, fmt::format("a shape of ({})", fmt::join(shape, ", ")),
                       "one that fits into memory");
    }
    count *= n;
  }
  return count;
}

// The header of an NPY file is a Python dictionary: {'descr': '<f8', 'fortran_order': False, 'shape': (3, 4),
// }
struct NpyHeader {
  std::string descr;
  bool fortran = false;
  std::vector<std::size_t> shape;
};

class HeaderParser {
 public:
  HeaderParser(std::string_view text, const std::string& place) : text_(text), place_(place) {}

  NpyHeader parse() {
    NpyHeader header;
    bool descr = false, fortran = false, shape = false;
    expect('{');
    while (!take('}')) {
      const std::string key = quoted();
      expect(':');
      if (key == "descr") {
        if (peek() == '[') {
          throw InputError(place_, "an array of records", "an array of numbers or text");
        }
        header.descr = quoted();
        descr = true;
      } else if (key == "fortran_order") {
        header.fortran = boolean();
        fortran = true;
      } else if (key == "shape") {
        header.shape = tuple();
        shape = true;
      } else {
        fail(fmt::format("key '{}'", key));
      }
      if (!take(',')) {
        expect('}');
        break;
      }
    }
    if (!descr || !fortran || !shape) fail("a dictionary with keys missing");
    return header;
  }

 private:
  [[noreturn]] void fail(const std::string& found) {
    throw InputError(place_, found, "an NPY header {'descr': ..., 'fortran_order': ..., 'shape': ...}");
  }
  char peek() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }
  void expect(char c) {
    if (!take(c)) fail(fmt::format("byte {} of the header without '{}'", at_, c));
  }
  std::string quoted() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail(fmt::format("byte {} of the header without a name", at_));
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos || end - at_ > 64) fail("a name without an end");
    const std::string word(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return word;
  }
  bool boolean() {
    peek();
    for (const bool value : {false, true}) {
      const std::string_view word = value ? "True" : "False";
      if (text_.substr(at_, word.size()) == word) {
        at_ += word.size();
        return value;
      }
    }
    fail("fortran_order without True or False");
  }
  std::vector<std::size_t> tuple() {
    std::vector<std::size_t> shape;
    expect('(');
    while (!take(')')) {
      std::size_t n = 0;
      const std::size_t start = (peek(), at_);
      while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') {
        if (n > (std::size_t{1} << 48)) fail("a shape that is too large");
        n = 10 * n + static_cast<std::size_t>(text_[at_++] - '0');
      }
      if (at_ == start) fail("a shape that is not a list of numbers");
      if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // written by Python 2
      shape.push_back(n);
      if (shape.size() > 32) fail("a shape of more than 32 dimensions");
      if (!take(',')) {
        expect(')');
        break;
      }
    }
    return shape;
  }

  std::string_view text_;
  const std::string& place_;
  std::size_t at_ = 0;
};

void append_utf8(std::string& out, std::uint32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xc0 | (c >> 6));
    out += static_cast<char>(0x80 | (c & 63));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xe0 | (c >> 12));
    out += static_cast<char>(0x80 | ((c >> 6) & 63));
    out += static_cast<char>(0x80 | (c & 63));
  } else {
    out += static_cast<char>(0xf0 | ((c >> 18) & 7));
    out += static_cast<char>(0x80 | ((c >> 12) & 63));
    out += static_cast<char>(0x80 | ((c >> 6) & 63));
    out += static_cast<char>(0x80 | (c & 63));
  }
}

// The first string of an array of kind U (UTF-32, padded with zeros) or S (bytes, padded with zeros).
std::string first_string(char kind, std::size_t length, std::string_view data) {
  std::string text;
  for (std::size_t i = 0; i < length; ++i) {
    const std::uint32_t c =
        kind == 'U' ? get<std::uint32_t>(data, 4 * i) : static_cast<unsigned char>(data[i]);
    if (c == 0) break;
    if (kind == 'U') {
      append_utf8(text, c);
    } else {
      text += static_cast<char>(c);
    }
  }
  return text;
}

// Column-major to row-major.
std::string to_c_order(std::string_view data, std::span<const std::size_t> shape, std::size_t item) {
  std::string out(data.size(), '\0');
  std::vector<std::size_t> index(shape.size(), 0), stride(shape.size(), item);
  for (std::size_t d = 1; d < shape.size(); ++d) stride[d] = stride[d - 1] * shape[d - 1];
  for (std::size_t to = 0; to < out.size(); to += item) {
    std::size_t from = 0;
    for (std::size_t d = 0; d < shape.size(); ++d) from += index[d] * stride[d];
    std::memcpy(out.data() + to, data.data() + from, item);
    for (std::size_t d = shape.size(); d-- > 0 && ++index[d] == shape[d];) index[d] = 0;
  }
  return out;
}

std::string deflate_raw(std::string_view data, int level) {
  z_stream stream{};
  if (deflateInit2(&stream, level, Z_DEFLATED, -MAX_WBITS, 9, Z_DEFAULT_STRATEGY) != Z_OK) {
    throw RunError("zlib cannot start: out of memory");
  }
  std::string out(deflateBound(&stream, data.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(data.data()));
  stream.avail_in = static_cast<uInt>(data.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  const int status = deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  if (status != Z_STREAM_END) throw RunError("zlib cannot pack an array");
  return out;
}

// Measured numbers hardly pack (a fifth at best, at a tenth of the speed): a piece out of the middle tells.
bool packs_well(std::string_view data, int level) {
  constexpr std::size_t kPiece = 16384;
  if (level <= 0) return false;
  if (data.size() < 4 * kPiece) return true;
  return deflate_raw(data.substr(data.size() / 2, kPiece), level).size() < kPiece * 4 / 5;
}

std::uint32_t crc_of(std::string_view data) {
  return static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(data.data()), data.size()));
}

}  // namespace

std::string_view name(NpyType type) { return row(type).name; }

std::size_t NpyArray::size() const {
  std::size_t count = 1;
  for (const std::size_t n : shape) count *= n;
  return count;
}
std::size_t NpyArray::item_size() const { return row(type).size; }

NpyArray parse_npy(std::string_view bytes, const std::string& place) {
  if (bytes.size() < 10 || bytes.substr(0, 6) != kMagic) {
    throw InputError(place, "no NPY array", "one that starts with the bytes \\x93NUMPY");
  }
  const int version = static_cast<unsigned char>(bytes[6]);
  if (version < 1 || version > 3)
    throw InputError(place, fmt::format("NPY version {}", version), "1, 2 or 3");
  const std::size_t start = version == 1 ? 10 : 12;
  const std::size_t length = version == 1 ? get<std::uint16_t>(bytes, 8)
                                          : (bytes.size() < 12 ? bytes.size() : get<std::uint32_t>(bytes, 8));
  if (bytes.size() < start || length > bytes.size() - start) {
    throw InputError(place, "a file that ends inside the NPY header", "the whole file");
  }
  const NpyHeader header = HeaderParser(bytes.substr(start, length), place).parse();
  const std::string_view data = bytes.substr(start + length);

  NpyArray array;
  array.shape = header.shape;
  const std::size_t count = count_of(header.shape, place);
  const char kind = header.descr.size() > 2 ? header.descr[1] : '\0';
  const bool is_text = (kind == 'U' && header.descr[0] == '<') || kind == 'S';
  std::size_t item = 0, length_of_text = 0;
  if (is_text) {
    for (const char c : header.descr.substr(2)) {
      if (c < '0' || c > '9' || length_of_text > bytes.size()) {
        throw InputError(place, "type '" + header.descr + "'", "text that fits into the file");
      }
      length_of_text = 10 * length_of_text + static_cast<std::size_t>(c - '0');
    }
    array.type = NpyType::text;
    item = kind == 'U' ? 4 * length_of_text : length_of_text;
  } else {
    const auto* found = std::find_if(std::begin(kTypes), std::end(kTypes), [&](const TypeRow& type) {
      return type.size == 1
                 ? !type.descr.empty() && header.descr.size() == 3 &&
                       header.descr.substr(1) == type.descr.substr(1)
                 : header.descr == type.descr || header.descr == "=" + std::string(type.descr.substr(1));
    });
    if (found == std::end(kTypes)) {
      throw InputError(place, "numbers of type '" + header.descr + "'",
                       "little-endian f4, f8, i4, i8, u1, bool, or text");
    }
    array.type = found->type;
    item = found->size;
  }
  if (item != 0 && count > data.size() / item) {
    throw InputError(
        place, fmt::format("{} bytes of data", data.size()),
        fmt::format("{} numbers of {} bytes (shape ({}))", count, item, fmt::join(header.shape, ", ")));
  }
  if (is_text) {
    if (count > 0) array.bytes = first_string(kind, length_of_text, data);
  } else if (header.fortran && header.shape.size() > 1) {
    array.bytes = to_c_order(data.substr(0, count * item), header.shape, item);
  } else {
    array.bytes = data.substr(0, count * item);
  }
  return array;
}

std::string format_npy(NpyType type, std::span<const std::size_t> shape, std::string_view data) {
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}",
                                   row(type).descr, fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
  header.append(63 - (10 + header.size()) % 64, ' ');  // numbers start at a multiple of 64 bytes
  header += '\n';
  std::string out(kMagic);
  out.reserve(10 + header.size() + data.size());
  out += '\x01';
  out += '\x00';
  put(out, static_cast<std::uint16_t>(header.size()));
  out += header;
  out += data;
  return out;
}

void NpzWriter::add_text(const std::string& array, std::string_view text) {
  const std::size_t shape[] = {text.size()};
  add_bytes(array, NpyType::u1, shape, text);
}

void NpzWriter::add_bytes(const std::string& array, NpyType type, std::span<const std::size_t> shape,
                          std::string_view data) {
  const std::string npy = format_npy(type, shape, data);
  const std::string name = array + ".npy";
  if (npy.size() > std::numeric_limits<std::uint32_t>::max() / 2) {
    throw RunError(fmt::format("array '{}' has {} bytes: more than an NPZ file holds", array, npy.size()));
  }
  const std::string packed = packs_well(npy, level_) ? deflate_raw(npy, level_) : "";
  const bool deflated = !packed.empty() && packed.size() < npy.size();
  const std::string_view body = deflated ? packed : npy;

  const std::size_t offset = file_.size();
  const auto common = [&](std::string& out) {   // what the local header and the directory share
    put<std::uint16_t>(out, 20);                // needs version 2.0
    put<std::uint16_t>(out, 0);                 // flags
    put<std::uint16_t>(out, deflated ? 8 : 0);  // method
    put<std::uint16_t>(out, 0);                 // time
    put<std::uint16_t>(out, kFixedDate);
    put<std::uint32_t>(out, crc_of(npy));
    put(out, static_cast<std::uint32_t>(body.size()));
    put(out, static_cast<std::uint32_t>(npy.size()));
    put(out, static_cast<std::uint16_t>(name.size()));
    put<std::uint16_t>(out, 0);  // extra
  };
  put(file_, kLocal);
  common(file_);
  file_ += name;
  file_ += body;
  put(directory_, kCentral);
  put<std::uint16_t>(directory_, 20);  // made by version 2.0
  common(directory_);
  put<std::uint16_t>(directory_, 0);  // comment
  put<std::uint16_t>(directory_, 0);  // disk
  put<std::uint16_t>(directory_, 0);  // internal attributes
  put<std::uint32_t>(directory_, 0);  // external attributes
  put(directory_, static_cast<std::uint32_t>(offset));
  directory_ += name;
  ++entries_;
  if (file_.size() > std::numeric_limits<std::uint32_t>::max()) {
    throw RunError("the arrays have more than 4 GB: more than an NPZ file holds");
  }
}

std::string NpzWriter::finish() {
  std::string out = std::move(file_);
  const std::size_t start = out.size();
  out += directory_;
  put(out, kEnd);
  put<std::uint32_t>(out, 0);  // disks
  put(out, static_cast<std::uint16_t>(entries_));
  put(out, static_cast<std::uint16_t>(entries_));
  put(out, static_cast<std::uint32_t>(directory_.size()));
  put(out, static_cast<std::uint32_t>(start));
  put<std::uint16_t>(out, 0);  // comment
  file_.clear();
  directory_.clear();
  entries_ = 0;
  return out;
}

NpzFile::NpzFile(std::string bytes, std::string place, std::size_t largest)
    : bytes_(std::move(bytes)),
      place_(std::move(place)),
      largest_(std::min<std::size_t>(largest, 0xfffffff0)) {
  const std::string_view file = bytes_;
  if (file.empty()) throw InputError(place_, "an empty file", "an NPZ archive");
  // The end record lies last, before a comment of at most 65535 bytes.
  std::size_t end = file.size() < kEndSize ? 0 : file.size() - kEndSize + 1;
  const std::size_t stop = end > 65536 ? end - 65536 : 0;
  const auto is_end = [&](std::size_t at) {
    return get<std::uint32_t>(file, at) == kEnd &&
           get<std::uint16_t>(file, at + 20) <= file.size() - at - kEndSize;
  };
  while (end > stop && !is_end(end - 1)) --end;
  if (end == stop) {
    throw InputError(place_, "no zip directory at the end (another kind of file, or one cut short)",
                     "an NPZ archive");
  }
  --end;
  const std::size_t count = get<std::uint16_t>(file, end + 10);
  const std::size_t directory_size = get<std::uint32_t>(file, end + 12);
  const std::size_t directory = get<std::uint32_t>(file, end + 16);
  if (count == 0xffff || directory == 0xffffffff) {
    throw InputError(place_, "a zip64 directory", "an archive of fewer than 65535 arrays and 4 GB");
  }
  if (directory > end || directory_size > end - directory) {
    throw InputError(place_, "a zip directory that lies outside the file", "the whole file");
  }

  std::size_t at = directory;
  const std::size_t directory_end = directory + directory_size;
  const auto broken = [&](const std::string& what) {
    return InputError(place_, what, "an intact NPZ archive");
  };
  for (std::size_t i = 0; i < count; ++i) {
    if (directory_end - at < kCentralSize || get<std::uint32_t>(file, at) != kCentral) {
      throw broken(fmt::format("{} of {} directory entries", i, count));
    }
    const int flags = get<std::uint16_t>(file, at + 8);
    Entry entry{};
    entry.method = get<std::uint16_t>(file, at + 10);
    entry.crc = get<std::uint32_t>(file, at + 16);
    entry.packed = get<std::uint32_t>(file, at + 20);
    entry.unpacked = get<std::uint32_t>(file, at + 24);
    entry.offset = get<std::uint32_t>(file, at + 42);
    const std::size_t name_size = get<std::uint16_t>(file, at + 28);
    const std::size_t extra_size = get<std::uint16_t>(file, at + 30);
    const std::size_t comment_size = get<std::uint16_t>(file, at + 32);
    at += kCentralSize;
    if (directory_end - at < name_size + extra_size + comment_size) throw broken("a directory cut short");
    std::string entry_name(file.substr(at, name_size));
    // zip64: each 32-bit field that is all ones stands as 64 bits in extra field 1, in this order.
    std::string_view extra = file.substr(at + name_size, extra_size);
    while (extra.size() >= 4) {
      const std::size_t length = get<std::uint16_t>(extra, 2);
      if (length > extra.size() - 4) throw broken("a directory entry with a broken extra field");
      if (get<std::uint16_t>(extra, 0) == 1) {
        std::size_t field = 4;
        for (std::size_t* value : {&entry.unpacked, &entry.packed, &entry.offset}) {
          if (*value != 0xffffffff) continue;
          if (field + 8 > 4 + length) throw broken("a zip64 entry cut short");
          *value = get<std::uint64_t>(extra, field);
          field += 8;
        }
      }
      extra.remove_prefix(4 + length);
    }
    at += name_size + extra_size + comment_size;

    if (entry_name.ends_with(".npy")) entry_name.resize(entry_name.size() - 4);
    if (flags & 1) throw broken(fmt::format("encrypted array '{}'", entry_name));
    if (entry.method != 0 && entry.method != 8) {
      throw InputError(place_, fmt::format("array '{}' packed by zip method {}", entry_name, entry.method),
                       "stored (0) or deflated (8)");
    }
    // Zip's own lengths are compared before they are added: the sum may overflow.
    if (entry.offset > file.size() || entry.packed > file.size() - entry.offset) {
      throw broken(fmt::format("array '{}' outside the file", entry_name));
    }
    if (entry.unpacked > largest_) {
      throw InputError(place_, fmt::format("array '{}' of {} bytes", entry_name, entry.unpacked),
                       fmt::format("at most {}", largest_));
    }
    if (entry.method == 0 ? entry.unpacked != entry.packed
                          : entry.unpacked / kLargestRatio > entry.packed + 64) {
      throw broken(fmt::format("array '{}' that claims to unpack from {} to {} bytes", entry_name,
                               entry.packed, entry.unpacked));
    }
    if (!entries_.emplace(entry_name, entry).second)
      throw broken(fmt::format("array '{}' twice", entry_name));
  }
}

std::vector<std::string> NpzFile::names() const {
  std::vector<std::string> names;
  for (const auto& [name, entry] : entries_) names.push_back(name);
  return names;
}

std::string NpzFile::unpack(const std::string& array) const {
  const auto found = entries_.find(array);
  if (found == entries_.end()) {
    throw InputError(place_, fmt::format("no array '{}' (there are: {})", array, fmt::join(names(), ", ")),
                     "an array of this name");
  }
  const Entry& entry = found->second;
  const std::string_view file = bytes_;
  const std::string place = place_ + ": " + array;
  const auto broken = [&](const std::string& what) {
    return InputError(place, what, "an intact NPZ archive");
  };
  if (file.size() - entry.offset < kLocalSize || get<std::uint32_t>(file, entry.offset) != kLocal) {
    throw broken("no array where the directory says");
  }
  const std::size_t start = entry.offset + kLocalSize + get<std::uint16_t>(file, entry.offset + 26) +
                            get<std::uint16_t>(file, entry.offset + 28);
  if (start > file.size() || entry.packed > file.size() - start) throw broken("data that ends too early");
  const std::string_view packed = file.substr(start, entry.packed);

  std::string data;
  if (entry.method == 0) {
    data = packed;
  } else {
    data.resize(entry.unpacked);
    z_stream stream{};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) throw RunError("zlib cannot start: out of memory");
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream.avail_in = static_cast<uInt>(packed.size());
    stream.next_out = reinterpret_cast<Bytef*>(data.data());
    stream.avail_out = static_cast<uInt>(data.size());
    const int status = inflate(&stream, Z_FINISH);
    const std::size_t total = stream.total_out;
    inflateEnd(&stream);
    if (status != Z_STREAM_END || total != data.size()) throw broken("data that does not unpack");
  }
  if (crc_of(data) != entry.crc) throw broken("data that does not match its checksum");
  return data;
}

NpyArray NpzFile::read(const std::string& array) const {
  return parse_npy(unpack(array), place_ + ": " + array);
}

std::vector<double> NpzFile::numbers(const std::string& array) const {
  const NpyArray read_array = read(array);
  std::vector<double> out(read_array.size());
  const auto convert = [&]<typename T>(T) {
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = static_cast<double>(get<T>(read_array.bytes, i * sizeof(T)));
    }
  };
  switch (read_array.type) {
    case NpyType::f4:
      convert(float{});
      break;
    case NpyType::f8:
      convert(double{});
      break;
    case NpyType::i4:
      convert(std::int32_t{});
      break;
    case NpyType::i8:
      convert(std::int64_t{});
      break;
    case NpyType::u1:
    case NpyType::boolean:
      convert(std::uint8_t{});
      break;
    case NpyType::text:
      throw InputError(place_ + ": " + array, "text", "numbers");
  }
  return out;
}

double NpzFile::number(const std::string& array) const {
  const std::vector<double> values = numbers(array);
  if (values.size() != 1) {
    throw InputError(place_ + ": " + array, fmt::format("{} numbers", values.size()), "one");
  }
  return values[0];
}

std::string NpzFile::text(const std::string& array) const {
  NpyArray read_array = read(array);
  if (read_array.type != NpyType::text && read_array.type != NpyType::u1) {
    throw InputError(place_ + ": " + array, fmt::format("numbers of type {}", name(read_array.type)), "text");
  }
  return std::move(read_array.bytes);
}

NpyArray NpzFile::read_exactly(const std::string& array, NpyType type, std::size_t count) const {
  NpyArray found = read(array);
  if (found.type != type || found.size() != count) {
    throw InputError(place_ + ": " + array,
                     fmt::format("{} numbers of type {}", found.size(), name(found.type)),
                     fmt::format("{} of type {}", count, name(type)));
  }
  return found;
}

}  // namespace stunt
