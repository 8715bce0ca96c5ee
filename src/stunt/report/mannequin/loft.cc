#include "stunt/report/mannequin/loft.h"

#include <algorithm>
#include <cmath>

namespace stunt {
namespace {

// cos or sin raised to 2 / p, with its sign: the superellipse by its angle.
double bent(double value, double power) {
  if (power == 2) return value;
  return std::copysign(std::pow(std::abs(value), 2 / power), value);
}

// Unit normals from the faces around each vertex, weighted by their area; faces turned outward before.
void finish(TriangleMesh& mesh) {
  if (volume(mesh) < 0) {
    for (std::size_t i = 0; i + 2 < mesh.indices.size(); i += 3)
      std::swap(mesh.indices[i + 1], mesh.indices[i + 2]);
  }
  mesh.normals.assign(mesh.positions.size(), Eigen::Vector3f::Zero());
  for (std::size_t i = 0; i + 2 < mesh.indices.size(); i += 3) {
    const auto &a = mesh.positions[mesh.indices[i]], &b = mesh.positions[mesh.indices[i + 1]],
               &c = mesh.positions[mesh.indices[i + 2]];
    const Eigen::Vector3f area = (b - a).cross(c - a);
    for (std::size_t k = 0; k < 3; ++k) mesh.normals[mesh.indices[i + k]] += area;
  }
  for (Eigen::Vector3f& normal : mesh.normals) {
    const float size = normal.norm();
    normal = size > 0 ? Eigen::Vector3f(normal / size) : Eigen::Vector3f::UnitZ();
  }
}

double mix(double a, double b, double share) { return a + share * (b - a); }

Ring mix(const Ring& a, const Ring& b, double share) {
  Ring out;
  out.centre = a.centre + share * (b.centre - a.centre);
  out.side = (a.side + share * (b.side - a.side)).normalized();
  out.front = (a.front + share * (b.front - a.front)).normalized();
  out.side_half = mix(a.side_half, b.side_half, share);
  out.front_half = mix(a.front_half, b.front_half, share);
  out.back_half = mix(a.back_half, b.back_half, share);
  out.front_power = mix(a.front_power, b.front_power, share);
  out.back_power = mix(a.back_power, b.back_power, share);
  return out;
}

double catmull_rom(double a, double b, double c, double d, double t) {
  return 0.5 * (2 * b + t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a))));
}

}  // namespace

Vec3 Ring::at(double angle) const {
  const double c = std::cos(angle), s = std::sin(angle);
  const bool ahead = s >= 0;
  const double power = ahead ? front_power : back_power;
  return centre + side_half * bent(c, power) * side +
         (ahead ? front_half : back_half) * bent(s, power) * front;
}

Ring Ring::scaled(double factor) const {
  Ring out = *this;
  out.side_half *= factor;
  out.front_half *= factor;
  out.back_half *= factor;
  return out;
}

Ring Ring::moved(const Vec3& by) const {
  Ring out = *this;
  out.centre += by;
  return out;
}

double volume(const TriangleMesh& mesh) {
  double sum = 0;
  for (std::size_t i = 0; i + 2 < mesh.indices.size(); i += 3) {
    const Vec3 a = mesh.positions[mesh.indices[i]].cast<double>();
    const Vec3 b = mesh.positions[mesh.indices[i + 1]].cast<double>();
    const Vec3 c = mesh.positions[mesh.indices[i + 2]].cast<double>();
    sum += a.dot(b.cross(c)) / 6;
  }
  return sum;
}

TriangleMesh loft(std::span<const Ring> rings, int around) {
  TriangleMesh mesh;
  const auto n = static_cast<std::uint32_t>(around), count = static_cast<std::uint32_t>(rings.size());
  for (const Ring& ring : rings) {
    for (int k = 0; k < around; ++k) mesh.positions.push_back(ring.at(2 * kPi * k / around).cast<float>());
  }
  const std::uint32_t first = n * count, last = first + 1;
  // Where the front is deeper than the back, the middle of the ring is not its centre.
  const auto middle = [](const Ring& ring) {
    return Vec3(ring.centre + 0.5 * (ring.front_half - ring.back_half) * ring.front);
  };
  mesh.positions.push_back(middle(rings.front()).cast<float>());
  mesh.positions.push_back(middle(rings.back()).cast<float>());
  for (std::uint32_t k = 0; k < n; ++k) {
    const std::uint32_t next = (k + 1) % n;
    mesh.indices.insert(mesh.indices.end(), {first, next, k});
    for (std::uint32_t r = 0; r + 1 < count; ++r) {
      const std::uint32_t low = r * n, high = low + n;
      mesh.indices.insert(mesh.indices.end(),
                          {low + k, low + next, high + next, low + k, high + next, high + k});
    }
    mesh.indices.insert(mesh.indices.end(), {last, (count - 1) * n + k, (count - 1) * n + next});
  }
  finish(mesh);
  return mesh;
}

std::vector<Ring> smooth(std::span<const Ring> keys, int steps) {
  std::vector<Ring> out;
  const int last = static_cast<int>(keys.size()) - 1;
  for (int i = 0; i <= steps; ++i) {
    const double place = static_cast<double>(last) * i / steps;
    const int k = std::min(static_cast<int>(place), last - 1);
    const double t = place - k;
    const auto key = [&](int index) -> const Ring& {
      return keys[static_cast<std::size_t>(std::clamp(index, 0, last))];
    };
    const Ring &a = key(k - 1), &b = key(k), &c = key(k + 1), &d = key(k + 2);
    Ring ring = mix(b, c, t);
    const auto curve = [&](double Ring::*number) {
      ring.*number = catmull_rom(a.*number, b.*number, c.*number, d.*number, t);
    };
    curve(&Ring::side_half);
    curve(&Ring::front_half);
    curve(&Ring::back_half);
    for (int axis = 0; axis < 3; ++axis)
      ring.centre[axis] = catmull_rom(a.centre[axis], b.centre[axis], c.centre[axis], d.centre[axis], t);
    out.push_back(ring);
  }
  return out;
}

std::vector<Ring> rounded_ends(std::vector<Ring> rings, double start, double end) {
  std::vector<double> way = {0};
  for (std::size_t i = 1; i < rings.size(); ++i)
    way.push_back(way.back() + (rings[i].centre - rings[i - 1].centre).norm());
  const double length = way.back();
  if (length <= 0) return rings;
  if (start + end > length) {
    const double less = length / (start + end);
    start *= less;
    end *= less;
  }
  const auto at = [&](double place) {
    const auto above = std::upper_bound(way.begin(), way.end(), place);
    const auto i =
        std::clamp<std::ptrdiff_t>(above - way.begin(), 1, static_cast<std::ptrdiff_t>(way.size()) - 1);
    const auto k = static_cast<std::size_t>(i);
    const double gap = way[k] - way[k - 1];
    return mix(rings[k - 1], rings[k], gap > 0 ? std::clamp((place - way[k - 1]) / gap, 0.0, 1.0) : 0);
  };
  constexpr int kCap = 4;  // rings of a rounded end
  std::vector<Ring> out;
  if (start > 0) {
    for (int i = 1; i <= kCap; ++i) {
      const double angle = 0.5 * kPi * i / kCap;
      out.push_back(at(start * (1 - std::cos(angle))).scaled(std::sin(angle)));
    }
  }
  for (std::size_t i = 0; i < rings.size(); ++i) {
    if (way[i] > start + 1e-6 && way[i] < length - end - 1e-6) out.push_back(rings[i]);
    if (start <= 0 && i == 0) out.push_back(rings[i]);
  }
  if (end > 0) {
    for (int i = kCap; i >= 1; --i) {
      const double angle = 0.5 * kPi * i / kCap;
      out.push_back(at(length - end * (1 - std::cos(angle))).scaled(std::sin(angle)));
    }
  } else {
    out.push_back(rings.back());
  }
  // The very tips: as near to a point as a ring can be without a fold.
  if (start > 0) out.insert(out.begin(), at(0).scaled(0.02));
  if (end > 0) out.push_back(at(length).scaled(0.02));
  return out;
}

TriangleMesh ellipsoid(const Vec3& centre, const Vec3& side, const Vec3& front, const Vec3& half,
                       int around) {
  const Vec3 up = side.cross(front);
  std::vector<Ring> rings;
  const int latitudes = around / 2;
  for (int i = 1; i < latitudes; ++i) {
    const double latitude = kPi * (static_cast<double>(i) / latitudes - 0.5);
    const double c = std::cos(latitude);
    rings.push_back({centre + half.z() * std::sin(latitude) * up, side, front, half.x() * c, half.y() * c,
                     half.y() * c, 2, 2});
  }
  TriangleMesh mesh = loft(rings, around);
  mesh.positions[mesh.positions.size() - 2] = (centre - half.z() * up).cast<float>();
  mesh.positions[mesh.positions.size() - 1] = (centre + half.z() * up).cast<float>();
  finish(mesh);
  return mesh;
}

TriangleMesh shell(std::span<const Ring> rings, double from, double to, double above, int around) {
  TriangleMesh mesh;
  const auto n = static_cast<std::uint32_t>(around) + 1, count = static_cast<std::uint32_t>(rings.size());
  for (const double sign : {1.0, -1.0}) {
    for (std::uint32_t r = 0; r < count; ++r) {
      for (std::uint32_t k = 0; k < n; ++k) {
        // Rounded corners: narrower in its first and last rings.
        const double height = 2.0 * r / (count - 1) - 1;
        const double narrow = 0.72 + 0.28 * std::pow(1 - std::pow(std::abs(height), 4), 0.5);
        const double angle =
            0.5 * (from + to) + narrow * (to - from) * (static_cast<double>(k) / around - 0.5);
        // Thin at its rim, so that it lies on the surface like a glass.
        const double rim = std::sin(kPi * (r + 0.5) / count) * std::sin(kPi * (k + 0.5) / n);
        const Vec3 point = rings[r].at(angle);
        const Vec3 out = (point - rings[r].centre).normalized();
        mesh.positions.push_back((point + sign * above * std::sqrt(rim) * out).cast<float>());
      }
    }
  }
  const std::uint32_t other = n * count;
  const auto quad = [&](std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
    mesh.indices.insert(mesh.indices.end(), {a, b, c, a, c, d});
  };
  for (std::uint32_t r = 0; r + 1 < count; ++r) {
    for (std::uint32_t k = 0; k + 1 < n; ++k) {
      const std::uint32_t a = r * n + k, b = a + 1, c = b + n, d = a + n;
      quad(a, b, c, d);
      quad(other + a, other + d, other + c, other + b);
    }
    const std::uint32_t left = r * n, right = r * n + n - 1;
    quad(left + n, other + left + n, other + left, left);
    quad(right, other + right, other + right + n, right + n);
  }
  for (std::uint32_t k = 0; k + 1 < n; ++k) {
    const std::uint32_t top = (count - 1) * n + k;
    quad(k, other + k, other + k + 1, k + 1);
    quad(top + 1, other + top + 1, other + top, top);
  }
  finish(mesh);
  return mesh;
}

}  // namespace stunt
