// A track is one character of one recording: what a curve in a plot or a column of the summary is about.
import type { Fall, Summary } from "../../generated/page_format";
import type { RecordingData } from "../data";
import { actorColor } from "../scene/theme";

export type Track = {
  recording: RecordingData;
  actor: number;
  label: string;
  color: string;
};

export function tracksOf(recordings: RecordingData[]): Track[] {
  let color = 0;
  return recordings.flatMap((recording) =>
    recording.head.actors.map((actor, i) => ({
      recording,
      actor: i,
      label:
        recordings.length === 1
          ? actor.name
          : recording.head.actors.length === 1
            ? recording.label
            : `${recording.label} · ${actor.name}`,
      color: actorColor(color++),
    })),
  );
}

// Numbers of summary.json that are about this track.
export function summaryOf(track: Track): Partial<Summary> {
  const { summary } = track.recording.head;
  return { ...summary, ...summary?.actors?.[track.actor] };
}

export function fallOf(track: Track): Fall | undefined {
  return track.recording.head.actors[track.actor].fall;
}

// What went wrong first, and when.
export function causeOf(track: Track): { time: number; text: string } | undefined {
  const { why, why_at_s: time } = summaryOf(track);
  return why && time != null ? { time, text: why } : undefined;
}
