// The clock of the page: what time it is in the recording, and how fast it goes.
export const speeds = [0.1, 0.25, 0.5, 1, 2, 4];

export class Playback {
  time = 0;
  playing = false;
  speed = 1;
  loop = true;
  onChange: () => void = () => {};
  private last = 0;

  constructor(
    readonly end: number,
    private readonly rate: number,
  ) {}

  // Moves on to the wall-clock time `now` (ms); true when the picture has to change.
  tick(now: number): boolean {
    const passed = Math.min(0.25, (now - this.last) / 1000);
    this.last = now;
    if (!this.playing) return false;
    this.time += passed * this.speed;
    if (this.time >= this.end) {
      if (this.loop && this.end > 0) this.time %= this.end;
      else {
        this.time = this.end;
        this.playing = false;
        this.onChange();
      }
    }
    return true;
  }

  toggle(): void {
    if (!this.playing && this.time >= this.end) this.time = 0;
    this.playing = !this.playing;
    this.onChange();
  }

  seek(time: number): void {
    this.time = Math.min(this.end, Math.max(0, time));
    this.onChange();
  }

  step(frames: number): void {
    this.playing = false;
    this.seek((Math.round(this.time * this.rate) + frames) / this.rate);
  }

  setSpeed(speed: number): void {
    this.speed = speed;
    this.onChange();
  }

  faster(by: number): void {
    const at = speeds.indexOf(this.speed);
    this.setSpeed(speeds[Math.min(speeds.length - 1, Math.max(0, at + by))]);
  }

  setLoop(loop: boolean): void {
    this.loop = loop;
    this.onChange();
  }
}
