#include "stunt/core/npz.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>

#include "stunt/core/error.h"
#include "stunt/core/files.h"
#include "stunt/core/random.h"

namespace stunt {
namespace {
namespace fs = std::filesystem;

std::string example(int level) {
  NpzWriter writer(level);
  std::vector<double> wave(600);
  for (std::size_t i = 0; i < wave.size(); ++i) wave[i] = std::sin(0.01 * static_cast<double>(i));
  writer.add("wave", std::span<const double>(wave), {200, 3});
  writer.add("floats", std::vector<float>{1.5f, -2.25f, std::numeric_limits<float>::infinity()});
  writer.add("ints", std::vector<std::int32_t>{-1, 2147483647});
  writer.add("longs", std::vector<std::int64_t>{-1, std::numeric_limits<std::int64_t>::max()});
  writer.add("bytes", std::vector<std::uint8_t>{0, 255});
  const bool flags[] = {true, false, true};
  writer.add("flags", std::span<const bool>(flags), {3});
  writer.add_number("one", 42.5);
  writer.add("none", std::vector<double>{});
  writer.add_text("text", "größe");
  return writer.finish();
}

std::string error_of(const std::string& bytes) {
  try {
    const NpzFile file(bytes, "x.npz", 1 << 20);
    for (const auto& array : file.names()) file.read(array);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

// A file of this process alone: tests run in parallel.
fs::path temporary(const std::string& name) {
  return fs::path(testing::TempDir()) / (std::to_string(getpid()) + "_" + name);
}

// Output of a Python script that gets `arguments`; empty when there is no Python.
std::string python(const std::string& script, const std::string& arguments) {
  if (!fs::exists("/usr/bin/python3")) return "";
  const fs::path file = temporary("script.py");
  std::ofstream(file) << script;
  FILE* pipe = popen(("/usr/bin/python3 " + file.string() + " " + arguments + " 2>&1").c_str(), "r");
  std::string out;
  char buffer[4096];
  while (pipe && fgets(buffer, sizeof buffer, pipe)) out += buffer;
  if (pipe) pclose(pipe);
  fs::remove(file);
  return out;
}

std::string npy(const std::string& header, const std::string& data) {
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(header.size());
  out += '\0';
  return out + header + data;
}

TEST(Npz, EverythingComesBackAsItWasWritten) {
  for (const int level : {0, 1, 9}) {
    const NpzFile file(example(level), "x.npz");
    EXPECT_EQ(file.names().size(), 9u);
    EXPECT_EQ(file.read("wave").shape, (std::vector<std::size_t>{200, 3}));
    const auto wave = file.exactly<double>("wave", 600);
    EXPECT_EQ(wave[599], std::sin(5.99));
    EXPECT_EQ(file.exactly<float>("floats", 3)[2], std::numeric_limits<float>::infinity());
    EXPECT_EQ(file.exactly<std::int32_t>("ints", 2), (std::vector<std::int32_t>{-1, 2147483647}));
    EXPECT_EQ(file.exactly<std::int64_t>("longs", 2)[1], std::numeric_limits<std::int64_t>::max());
    EXPECT_EQ(file.numbers("bytes"), (std::vector<double>{0, 255}));
    EXPECT_EQ(file.numbers("flags"), (std::vector<double>{1, 0, 1}));
    EXPECT_EQ(file.read("flags").type, NpyType::boolean);
    EXPECT_EQ(file.number("one"), 42.5);
    EXPECT_TRUE(file.numbers("none").empty());
    EXPECT_EQ(file.text("text"), "größe");
  }
  EXPECT_LT(example(1).size(), example(0).size());
  EXPECT_EQ(example(1), example(1));
}

// Second route: Python's own zip reader and a parse of the NPY header by ast and struct.
TEST(Npz, PythonReadsWhatWeWrite) {
  const fs::path file = temporary("ours.npz");
  write_file(file, example(1));
  const std::string out = python(R"(
import ast, struct, sys, zipfile
z = zipfile.ZipFile(sys.argv[1])
assert z.testzip() is None
for n in z.namelist():
    b = z.read(n)
    assert b[:8] == b'\x93NUMPY\x01\x00'
    length, = struct.unpack('<H', b[8:10])
    assert (10 + length) % 64 == 0 and b[9 + length] == 10
    h = ast.literal_eval(b[10:10 + length].decode())
    kind = {'<f8': 'd', '<f4': 'f', '<i4': 'i', '<i8': 'q', '|u1': 'B', '|b1': '?'}[h['descr']]
    count = 1
    for s in h['shape']: count *= s
    values = struct.unpack('<%d%s' % (count, kind), b[10 + length:])
    print(n, h['shape'], h['fortran_order'], sum(values) if kind != '?' else values)
)",
                                 file.string());
  if (out.empty()) GTEST_SKIP() << "/usr/bin/python3 is not there";
  double sum = 0;
  for (const double x : NpzFile(example(0), "x").numbers("wave")) sum += x;
  EXPECT_NE(out.find("wave.npy (200, 3) False " + std::to_string(sum).substr(0, 6)), std::string::npos)
      << out;
  EXPECT_NE(out.find("ints.npy (2,) False 2147483646"), std::string::npos) << out;
  EXPECT_NE(out.find("longs.npy (2,) False 9223372036854775806"), std::string::npos) << out;
  EXPECT_NE(out.find("flags.npy (3,) False (True, False, True)"), std::string::npos) << out;
  EXPECT_NE(out.find("one.npy () False 42.5"), std::string::npos) << out;
  EXPECT_NE(out.find("none.npy (0,) False 0"), std::string::npos) << out;
  fs::remove(file);
}

// As NumPy writes: zip64 fields in the local headers, Fortran order, strings, versions 1 and 2, a comment.
TEST(Npz, WeReadWhatPythonWrites) {
  const fs::path file = temporary("theirs.npz");
  const std::string out = python(R"(
import struct, sys, zipfile
def npy(descr, fortran, shape, data, version=1):
    h = repr({'descr': descr, 'fortran_order': fortran, 'shape': shape}).encode()
    h += b' ' * 7 + b'\n'
    return b'\x93NUMPY' + bytes([version, 0]) + struct.pack('<H' if version == 1 else '<I', len(h)) + h + data
with zipfile.ZipFile(sys.argv[1], 'w', zipfile.ZIP_DEFLATED) as z:
    def put(name, data):
        with z.open(name + '.npy', 'w', force_zip64=True) as f: f.write(data)
    put('fortran', npy('<f8', True, (2, 3, 2), struct.pack('<12d', *range(12))))
    put('gender', npy('<U6', False, (), 'f\u00e9male'.encode('utf-32-le')))
    put('bytes', npy('|S8', False, (1,), b'male\0\0\0\0', 2))
    put('rate', npy('<i8', False, (), struct.pack('<q', 120)))
    put('object', npy('|O', False, (), b'pickle'))
    put('big', npy('>f8', False, (1,), struct.pack('>d', 1)))
    z.comment = b'made by a test'
print('done')
)",
                                 file.string());
  if (out.empty()) GTEST_SKIP() << "/usr/bin/python3 is not there";
  ASSERT_EQ(out, "done\n");
  const NpzFile npz(read_file(file), "theirs.npz");
  const auto values = npz.numbers("fortran");
  // Element (i, j, k) lies at i + 2 j + 6 k in Fortran order and at 6 i + 2 j + k in C order.
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 3; ++j) {
      for (int k = 0; k < 2; ++k) EXPECT_EQ(values[6 * i + 2 * j + k], i + 2 * j + 6 * k);
    }
  }
  EXPECT_EQ(npz.text("gender"), "fémale");
  EXPECT_EQ(npz.text("bytes"), "male");
  EXPECT_EQ(npz.number("rate"), 120);
  for (const char* refused : {"object", "big", "absent"}) {
    try {
      npz.read(refused);
      FAIL() << refused;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(refused), std::string::npos) << error.what();
    }
  }
  fs::remove(file);
}

TEST(Npz, BrokenFilesAreRefusedWithTheirPlace) {
  EXPECT_EQ(error_of(""), "x.npz: found an empty file, expected an NPZ archive");
  EXPECT_NE(error_of("HIERARCHY\n").find("no zip directory"), std::string::npos);
  const std::string whole = example(1);
  for (std::size_t size = 1; size < whole.size(); size += 7) {
    EXPECT_NE(error_of(whole.substr(0, size)).find("x.npz: "), std::string::npos) << size;
  }
}

// Any damage is an InputError or harmless, and never asks for more memory than `largest` allows.
TEST(Npz, DamagedBytesNeverCrash) {
  const std::string whole = example(1);
  Random random(7);
  int refused = 0;
  for (int i = 0; i < 5000; ++i) {
    std::string damaged = whole;
    for (int k = 0; k < 1 + i % 3; ++k)
      damaged[random.next() % damaged.size()] = static_cast<char>(random.next());
    refused += !error_of(damaged).empty();
  }
  EXPECT_GT(refused, 3750);
}

TEST(Npz, HostileHeadersAreRefused) {
  const std::string good = "{'descr': '<f8', 'fortran_order': False, 'shape': (1,), }";
  EXPECT_EQ(parse_npy(npy(good, "12345678"), "p").size(), 1u);
  const char* hostile[] = {
      "{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904, 4), }",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999999999,), }",
      "{'descr': '<f8', 'fortran_order': True, 'shape': (16777216, 16777216), }",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }",
      "{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (1,), }",
      "{'descr': '<c8', 'fortran_order': False, 'shape': (1,), }",
      "{'descr': '<U99999999999999999999', 'fortran_order': False, 'shape': (1,), }",
      "{'descr': '<f8', 'fortran_order': Maybe, 'shape': (1,), }",
      "{'descr': '<f8', 'shape': (1,), }",
      "{'descr': '<f8",
      "",
  };
  for (const char* header : hostile)
    EXPECT_THROW(parse_npy(npy(header, "12345678"), "p"), InputError) << header;

  // A tiny entry that claims a gigabyte.
  NpzWriter writer(9);
  writer.add("zeros", std::vector<double>(1000));
  std::string bomb = writer.finish();
  const std::size_t directory = bomb.rfind("PK\x01\x02");
  bomb.replace(directory + 24, 4, std::string("\x00\x00\x0f\x00", 4));
  EXPECT_NE(error_of(bomb).find("claims to unpack"), std::string::npos) << error_of(bomb);
}

TEST(Npz, WrongTypeOrCountSaysBoth) {
  const NpzFile file(example(1), "x.npz");
  try {
    file.exactly<float>("wave", 5);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(), "x.npz: wave: found 600 numbers of type f8, expected 5 of type f4");
  }
}

}  // namespace
}  // namespace stunt
