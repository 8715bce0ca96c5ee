#include "stunt/core/number_settings.h"

#include <fmt/format.h>

namespace stunt {
namespace {

class NumberVisitor : public Fields {
 public:
  using Visit = std::function<void(const std::string& name, double& value, const About& about)>;
  NumberVisitor(const Visit& visit, std::string prefix) : visit_(visit), prefix_(std::move(prefix)) {}
  std::string one_key(const std::vector<std::string>&, const std::string& now) override { return now; }

 protected:
  void field(const std::string& name, double& value, const About& about) override {
    visit_(prefix_ + name, value, about);
  }
  void field(const std::string&, int&, const About&) override {}
  void field(const std::string&, std::uint64_t&, const About&) override {}
  void field(const std::string&, bool&, const About&) override {}
  void field(const std::string&, std::string&, const About&) override {}
  void field(const std::string& name, Eigen::Vector2d& value, const About& about) override {
    entries(name, value, about);
  }
  void field(const std::string& name, Eigen::Vector3d& value, const About& about) override {
    entries(name, value, about);
  }
  // A value that may be left open cannot be set from here (it is handed out as a copy).
  bool present(const std::string&, bool) override { return false; }
  void group_of(const std::string& name, const std::string&, const std::string&,
                const Describe& describe) override {
    NumberVisitor inner(visit_, prefix_ + name + ".");
    describe(inner);
  }
  void list_of(const std::string& name, const std::string&, std::size_t size,
               const DescribeItem& describe) override {
    for (std::size_t i = 0; i < size; ++i) {
      NumberVisitor inner(visit_, fmt::format("{}{}.{}.", prefix_, name, i));
      describe(inner, i);
    }
  }

 private:
  template <typename Vector>
  void entries(const std::string& name, Vector& value, const About& about) {
    for (int i = 0; i < value.size(); ++i) visit_(fmt::format("{}{}.{}", prefix_, name, i), value[i], about);
  }
  const Visit& visit_;
  std::string prefix_;
};

}  // namespace

std::vector<NumberSetting> list_described_numbers(const Fields::Describe& describe) {
  std::vector<NumberSetting> all;
  const NumberVisitor::Visit visit = [&](const std::string& name, double& value, const About& about) {
    all.push_back({name, value, about});
  };
  NumberVisitor visitor(visit, "");
  describe(visitor);
  return all;
}

void set_described_numbers(const Fields::Describe& describe, const std::map<std::string, double>& values) {
  const NumberVisitor::Visit visit = [&](const std::string& name, double& value, const About&) {
    if (const auto found = values.find(name); found != values.end()) value = found->second;
  };
  NumberVisitor visitor(visit, "");
  describe(visitor);
}

}  // namespace stunt
