// Saves what is seen: a picture, or a video of what plays.
import type { Stage } from "../scene/stage";
import { press, roundButton } from "./dom";
import type { Shortcut } from "./keys";
import type { Playback } from "./playback";

const longest = 60; // s of video

function save(bytes: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(bytes);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

export class Saving {
  readonly buttons: HTMLButtonElement[];
  readonly shortcuts: Shortcut[];
  private recorder: MediaRecorder | null = null;
  private readonly videoButton: HTMLButtonElement;

  constructor(
    private readonly stage: Stage,
    private readonly playback: Playback,
    private readonly name: string, // of the files, without ending
  ) {
    const pictureButton = roundButton("camera", "Save a picture", "S", () => this.savePicture());
    this.videoButton = roundButton("record", "Record a video, until pressed again", "R", () => this.toggleVideo());
    this.buttons = [pictureButton];
    this.shortcuts = [{ keys: ["s"], shown: "S", text: "Save a picture", run: () => this.savePicture() }];
    if (!Saving.canRecord(stage.canvas)) return;
    this.buttons.push(this.videoButton);
    this.shortcuts.push({ keys: ["r"], shown: "R", text: "Start or end a video", run: () => this.toggleVideo() });
  }

  private static canRecord(canvas: HTMLCanvasElement): boolean {
    return typeof MediaRecorder !== "undefined" && "captureStream" in canvas && MediaRecorder.isTypeSupported("video/webm");
  }

  private savePicture(): void {
    this.stage.draw(); // pixels can be read only in the moment they are drawn
    this.stage.canvas.toBlob((bytes) => bytes && save(bytes, `${this.name}.png`), "image/png");
  }

  private toggleVideo(): void {
    if (this.recorder) {
      this.recorder.stop();
      return;
    }
    const parts: Blob[] = [];
    const recorder = new MediaRecorder(this.stage.canvas.captureStream(30), { mimeType: "video/webm", videoBitsPerSecond: 8e6 });
    recorder.addEventListener("dataavailable", (event) => parts.push(event.data));
    recorder.addEventListener("stop", () => {
      clearTimeout(timer);
      this.recorder = null;
      press(this.videoButton, false);
      save(new Blob(parts, { type: "video/webm" }), `${this.name}.webm`);
    });
    const timer = setTimeout(() => this.recorder === recorder && recorder.stop(), 1000 * longest);
    recorder.start();
    this.recorder = recorder;
    press(this.videoButton, true);
    if (!this.playback.playing) this.playback.toggle();
  }
}
