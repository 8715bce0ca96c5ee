// Light or dark: as the system says, until the person at the page chooses.
import { darkTheme, lightTheme, type Theme } from "../scene/theme";
import { roundButton } from "./dom";
import type { Shortcut } from "./keys";

export class ThemeSwitch {
  readonly button = roundButton("theme", "Light or dark", "D", () => this.toggle());
  readonly shortcuts: Shortcut[] = [{ keys: ["d"], shown: "D", text: "Light or dark", run: () => this.toggle() }];
  onChange: () => void = () => {};
  private readonly system = matchMedia("(prefers-color-scheme: dark)");
  private chosen: boolean | null = null;

  constructor() {
    this.system.addEventListener("change", () => this.apply());
    this.apply();
  }

  get theme(): Theme {
    return (this.chosen ?? this.system.matches) ? darkTheme : lightTheme;
  }

  private toggle(): void {
    this.chosen = !this.theme.dark;
    this.apply();
  }

  private apply(): void {
    document.documentElement.dataset.theme = this.theme.dark ? "dark" : "light";
    this.onChange();
  }
}
