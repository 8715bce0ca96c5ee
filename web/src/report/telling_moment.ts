// Where the page opens: a little before what is most worth seeing.
import { channelOf } from "../../generated/page_format";
import { cell } from "../data";
import { causeOf, fallOf, type Track } from "./tracks";

const before = 0.8; // s
const blamed = 2.5; // s: a disturbance this long before a fall belongs to it

// How far the character was thrown off in the second after a disturbance, in rad.
function thrownOff(track: Track, time: number): number {
  const { recording, actor } = track;
  let most = 0;
  for (let row = recording.rowAt(time); row < recording.time.length && recording.time[row] < time + 1; ++row) {
    most = Math.max(most, cell(recording.error[actor], row, channelOf.error.mean_angle));
  }
  return most;
}

// A fall, from what led to it on; else the disturbance that did most; else the start.
export function tellingMoment(tracks: Track[]): number {
  for (const track of tracks) {
    const fall = fallOf(track);
    if (!fall) continue;
    const pushes = track.recording.head.pushes.filter((t) => t <= fall.time && t > fall.time - blamed);
    const cause = causeOf(track)?.time ?? fall.time;
    return Math.max(0, Math.min(cause, ...pushes) - before);
  }
  let best = 0;
  let most = 0;
  for (const track of tracks) {
    for (const time of track.recording.head.pushes) {
      const off = thrownOff(track, time);
      if (off <= most) continue;
      most = off;
      best = time;
    }
  }
  return Math.max(0, best - before);
}
