#include "stunt/report/page/html_report.h"

#include <zlib.h>

#include <string_view>

#include "stunt/core/embedded.h"
#include "stunt/core/error.h"
#include "stunt/report/page/page_data.h"

namespace stunt {
namespace {

constexpr std::string_view kPage = "web/report.html";  // as embedded by cmake/embed_data.cmake
constexpr std::string_view kDataGoesHere = "<!--stunt-recordings-->";

constexpr std::string_view kPageWithoutWeb = R"(<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Stunt report</title>
<style>body{font:16px/1.6 system-ui,sans-serif;max-width:40em;margin:4em auto;padding:0 1em;color-scheme:light dark}
code{background:#8883;padding:.1em .3em;border-radius:.3em}</style>
<h1>This build of Stunt has no report page</h1>
<p>The player in <code>web/</code> was not built, because <code>npm</code> was not there. Install it
(<code>apt-get install nodejs npm</code>), run <code>make</code> again, and then
<code>stunt report recording.npz</code> to make this page out of the recording beside it.</p>
<p>The recording, the summary and the motion files of this run are complete without it.</p>
</html>
)";

std::string compressed(const std::string& bytes) {
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  std::string packed(size, '\0');
  if (compress2(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                static_cast<uLong>(bytes.size()), 5) != Z_OK) {
    throw RunError("zlib could not compress the recording for its page");
  }
  packed.resize(size);
  return packed;
}

void append_base64(std::string& out, std::string_view bytes) {
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  out.reserve(out.size() + bytes.size() * 4 / 3 + 4);
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t three = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      three = three << 8 | (i + k < bytes.size() ? static_cast<std::uint8_t>(bytes[i + k]) : 0);
    }
    for (std::size_t k = 0; k < 4; ++k) {
      out.push_back(i + k > bytes.size() ? '=' : kLetters[three >> (18 - 6 * k) & 63]);
    }
  }
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

}  // namespace

bool html_report_available() { return embedded_file(kPage).has_value(); }

std::string html_report(const std::vector<ReportEntry>& entries) {
  if (entries.empty()) throw InputError("report", "no recordings", "at least one");
  for (const ReportEntry& entry : entries) {
    if (entry.recording->samples() == 0) {
      throw InputError("recording " + entry.recording->name, "no samples", "at least one");
    }
  }
  const auto page = embedded_file(kPage);
  if (!page) return std::string(kPageWithoutWeb);
  const std::size_t cut = page->find(kDataGoesHere);
  if (cut == std::string_view::npos) throw RunError("the embedded report page has no place for recordings");
  std::string out(page->substr(0, cut));
  for (const ReportEntry& entry : entries) {
    out += "<script type=\"application/x-stunt\" data-label=\"" + escaped(entry.label) + "\">";
    append_base64(out, compressed(page_data(*entry.recording, entry.summary)));
    out += "</script>\n";
  }
  out += page->substr(cut + kDataGoesHere.size());
  return out;
}

}  // namespace stunt
