#include "stunt/simulate/recording.h"

#include <stdexcept>
#include <utility>

namespace stunt {

Channel::Channel(std::string name, std::string unit, std::string help, int width, Type type)
    : name_(std::move(name)), unit_(std::move(unit)), help_(std::move(help)), width_(width) {
  if (type == Type::f4) values_ = std::vector<float>();
  if (type == Type::u1) values_ = std::vector<std::uint8_t>();
}

int Channel::rows() const {
  const std::size_t numbers = std::visit([](const auto& values) { return values.size(); }, values_);
  return width_ == 0 ? 0 : static_cast<int>(numbers / static_cast<std::size_t>(width_));
}

void Channel::reserve(int rows) {
  std::visit(
      [&](auto& values) {
        values.reserve(static_cast<std::size_t>(rows) * static_cast<std::size_t>(width_));
      },
      values_);
}

void Channel::truncate(int rows) {
  const auto numbers = static_cast<std::size_t>(rows) * static_cast<std::size_t>(width_);
  std::visit(
      [&](auto& values) {
        if (values.size() > numbers) values.resize(numbers);
      },
      values_);
}

Channel& Channels::add(std::string name, std::string unit, std::string help, int width, Channel::Type type) {
  channels_.push_back(
      std::make_unique<Channel>(std::move(name), std::move(unit), std::move(help), width, type));
  return *channels_.back();
}

const Channel* Channels::find(std::string_view name) const {
  for (const auto& channel : channels_) {
    if (channel->name() == name) return channel.get();
  }
  return nullptr;
}

const Channel& Channels::at(std::string_view name) const {
  const Channel* found = find(name);
  if (!found) throw std::out_of_range("no channel " + std::string(name));
  return *found;
}
Channel& Channels::at(std::string_view name) { return const_cast<Channel&>(std::as_const(*this).at(name)); }

void Channels::truncate(int rows) {
  for (const auto& channel : channels_) channel->truncate(rows);
}

namespace {

Eigen::Map<const VecX> doubles(const Channels& channels, const char* name, int sample, int first, int count) {
  return {channels.at(name).row<double>(sample).data() + first, count};
}

}  // namespace

Eigen::Map<const VecX> ActorTrack::reference_q(int sample) const {
  return doubles(channels, "reference_q", sample, 0, slot.nq);
}
Eigen::Map<const Eigen::VectorXf> ActorTrack::torque(int sample) const {
  return {channels.at("torque").row<float>(sample).data(), slot.nv};
}

Eigen::Map<const Eigen::VectorXf> ActorTrack::muscle_activation(int sample) const {
  return {channels.at("muscle_activation").row<float>(sample).data(),
          static_cast<Eigen::Index>(muscles.size())};
}

Eigen::Map<const Eigen::VectorXf> ActorTrack::muscle_force(int sample) const {
  return {channels.at("muscle_force").row<float>(sample).data(), static_cast<Eigen::Index>(muscles.size())};
}

std::span<const RecordedContact> Recording::contacts_of(int sample) const {
  return {contacts.data() + contact_start[static_cast<std::size_t>(sample)],
          contacts.data() + contact_start[static_cast<std::size_t>(sample) + 1]};
}
Eigen::Map<const VecX> Recording::q(int sample) const {
  return doubles(channels, "q", sample, 0, static_cast<int>(scene->model->nq));
}
Eigen::Map<const VecX> Recording::v(int sample) const {
  return doubles(channels, "v", sample, 0, static_cast<int>(scene->model->nv));
}
Eigen::Map<const VecX> Recording::q(int sample, const ActorTrack& track) const {
  return doubles(channels, "q", sample, track.slot.first_q, track.slot.nq);
}
Eigen::Map<const VecX> Recording::v(int sample, const ActorTrack& track) const {
  return doubles(channels, "v", sample, track.slot.first_v, track.slot.nv);
}

}  // namespace stunt
