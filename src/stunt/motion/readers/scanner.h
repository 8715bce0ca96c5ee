// Walks through a text file word by word and knows the line for error messages. Used by the BVH, ASF and AMC
// readers.
#pragma once

#include <string>
#include <string_view>

namespace stunt {

// No coordinate or angle of a person is larger; keeps every later sum and square finite.
constexpr double kLargestNumber = 1e9;

// A piece of a file made fit for an error message: in quotes, short, printable.
std::string quote(std::string_view text);

bool equals_ignoring_case(std::string_view a, std::string_view b);

// Words are separated by blanks, tabs, commas and line ends (LF, CRLF or CR); a brace is a word of its own.
class Scanner {
 public:
  Scanner(std::string_view text, std::string place);

  std::string_view word();          // the next word; empty at the end of the file
  std::string_view peek();          // the same, without going on
  bool more_on_line();              // is there another word on this line?
  std::string_view rest_of_line();  // trimmed, up to the line's end or an opening brace
  void next_line();                 // skips what is left of this line
  // Skips `letters` (case and blanks between them do not matter) and a colon after them; false when not
  // there.
  bool skip_label(std::string_view letters);

  void expect(std::string_view keyword);  // the next word must be this, in any case
  double number(std::string_view what);   // the next word as a finite number; `what` is for the message
  int integer(std::string_view what, int low, int high);
  // Up to `most` numbers into `values`, on this line or across lines; returns how many there were. The fast
  // way.
  int numbers(double* values, int most, bool across_lines, std::string_view what);
  // A word as a number; the message names this scanner's line.
  double to_number(std::string_view word, std::string_view what) const;

  int line() const { return line_; }  // of the last word
  std::string where() const;          // "walk.bvh:17"
  [[noreturn]] void fail(const std::string& found, const std::string& expected) const;
  // What has not been read yet.
  std::string_view remaining() const { return text_.substr(at_); }

 private:
  void skip_blanks(bool across_lines);
  std::string_view text_;
  std::string place_;
  std::size_t at_ = 0;
  int line_ = 1;
};

// Parses a number at `p`: a leading plus is allowed. Returns where it ends, or nullptr when there is no
// finite number within kLargestNumber. Much faster than the standard streams, and independent of the locale.
const char* parse_number(const char* p, const char* end, double& value);

}  // namespace stunt
