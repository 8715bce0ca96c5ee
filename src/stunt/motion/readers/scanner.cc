#include "stunt/motion/readers/scanner.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <cmath>

#include "stunt/core/error.h"

namespace stunt {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\t' || c == ',' || c == '\v' || c == '\f'; }
bool is_line_end(char c) { return c == '\n' || c == '\r'; }
bool is_brace(char c) { return c == '{' || c == '}'; }
char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

}  // namespace

std::string quote(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  std::string out = "'";
  for (const char c : text.substr(0, kLongest)) out += (c >= ' ' && c < 127) ? c : '?';
  return out + (text.size() > kLongest ? "...'" : "'");
}

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (lower(a[i]) != lower(b[i])) return false;
  }
  return true;
}

const char* parse_number(const char* p, const char* end, double& value) {
  if (p < end && *p == '+') ++p;
  auto [stop, error] = std::from_chars(p, end, value);
  if (error == std::errc::result_out_of_range) {
    // Too small for a double is zero, too large is refused; from_chars does not say which, the exponent's
    // sign does.
    for (const char* e = p; e < stop; ++e) {
      if ((*e == 'e' || *e == 'E') && e + 1 < stop && e[1] != '-') return nullptr;
      if ((*e == 'e' || *e == 'E') && e + 1 < stop && e[1] == '-') {
        value = 0.0;
        return stop;
      }
    }
    return nullptr;
  }
  if (error != std::errc() || !(std::abs(value) <= kLargestNumber)) return nullptr;
  return stop;
}

Scanner::Scanner(std::string_view text, std::string place) : text_(text), place_(std::move(place)) {
  if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);  // byte order mark
}

void Scanner::skip_blanks(bool across_lines) {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (is_line_end(c)) {
      if (!across_lines) return;
      if (c == '\n' || at_ + 1 >= text_.size() || text_[at_ + 1] != '\n') ++line_;
    } else if (!is_blank(c)) {
      return;
    }
    ++at_;
  }
}

std::string_view Scanner::peek() {
  skip_blanks(true);
  std::size_t end = at_;
  if (end < text_.size() && is_brace(text_[end])) return text_.substr(at_, 1);
  while (end < text_.size() && !is_blank(text_[end]) && !is_line_end(text_[end]) && !is_brace(text_[end]))
    ++end;
  return text_.substr(at_, end - at_);
}

std::string_view Scanner::word() {
  const std::string_view w = peek();
  at_ += w.size();
  return w;
}

bool Scanner::more_on_line() {
  skip_blanks(false);
  return at_ < text_.size() && !is_line_end(text_[at_]);
}

std::string_view Scanner::rest_of_line() {
  skip_blanks(false);
  std::size_t end = at_;
  while (end < text_.size() && !is_line_end(text_[end]) && text_[end] != '{') ++end;
  std::string_view rest = text_.substr(at_, end - at_);
  at_ = end;
  while (!rest.empty() && (is_blank(rest.back()))) rest.remove_suffix(1);
  return rest;
}

void Scanner::next_line() {
  while (at_ < text_.size() && !is_line_end(text_[at_])) ++at_;
}

bool Scanner::skip_label(std::string_view letters) {
  skip_blanks(true);
  std::size_t at = at_;
  const auto skip = [&] {
    while (at < text_.size() && is_blank(text_[at])) ++at;
  };
  for (const char letter : letters) {
    skip();
    if (at >= text_.size() || lower(text_[at]) != lower(letter)) return false;
    ++at;
  }
  skip();
  if (at < text_.size() && (text_[at] == ':' || text_[at] == '=')) ++at;
  at_ = at;
  return true;
}

void Scanner::expect(std::string_view keyword) {
  const std::string_view found = word();
  if (!equals_ignoring_case(found, keyword)) {
    fail(found.empty() ? "the end of the file" : quote(found), std::string(keyword));
  }
}

double Scanner::to_number(std::string_view w, std::string_view what) const {
  double value = 0.0;
  const char* end = w.data() + w.size();
  if (w.empty()) fail("the end of the file", fmt::format("a number ({})", what));
  if (parse_number(w.data(), end, value) != end) fail(quote(w), fmt::format("a finite number ({})", what));
  return value;
}

double Scanner::number(std::string_view what) { return to_number(word(), what); }

int Scanner::numbers(double* values, int most, bool across_lines, std::string_view what) {
  const char* const end = text_.data() + text_.size();
  for (int count = 0; count < most; ++count) {
    skip_blanks(across_lines);
    if (at_ >= text_.size() || is_line_end(text_[at_])) return count;
    const char* stop = parse_number(text_.data() + at_, end, values[count]);
    if (stop == nullptr || (stop != end && !is_blank(*stop) && !is_line_end(*stop))) number(what);  // throws
    at_ = static_cast<std::size_t>(stop - text_.data());
  }
  return most;
}

int Scanner::integer(std::string_view what, int low, int high) {
  const std::string_view w = word();
  const double value = to_number(w, what);
  if (value != std::floor(value) || value < low || value > high) {
    fail(quote(w), fmt::format("a whole number from {} to {} ({})", low, high, what));
  }
  return static_cast<int>(value);
}

std::string Scanner::where() const { return fmt::format("{}:{}", place_, line_); }

void Scanner::fail(const std::string& found, const std::string& expected) const {
  throw InputError(where(), found, expected);
}

}  // namespace stunt
