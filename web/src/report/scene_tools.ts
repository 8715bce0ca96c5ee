// The buttons over the scene: where it is seen from, and a menu of what is drawn about the characters and in how many
// views.
import type { Layers, Stage, ViewName } from "../scene/stage";
import { element, menuButton, press, toggleButton } from "./dom";
import type { Shortcut } from "./keys";

const layerNames: [keyof Layers, string, string][] = [
  ["ghost", "Reference", "G"],
  ["forces", "Contact forces", "F"],
  ["com", "Centre of mass", "C"],
  ["support", "Support and capture point", "P"],
  ["trails", "Trails of hands and feet", "M"],
  ["footprints", "Footprints", "N"],
  ["torque", "Torque", "T"],
  ["muscles", "Muscles", "U"],
  ["shapes", "Physical shapes", "B"],
];
const viewNames: [ViewName, string][] = [["corner", "Corner"], ["front", "Front"], ["side", "Side"], ["top", "Top"]];

export class SceneTools {
  readonly objects: HTMLElement[];
  readonly shortcuts: Shortcut[];
  private view: ViewName | null = null; // null: the mouse has moved the camera
  private sideBySide = false;
  private readonly viewButtons: HTMLButtonElement[];
  private readonly layerNames: (keyof Layers)[]; // of the buttons
  private readonly layerButtons: HTMLButtonElement[];
  private readonly followButton: HTMLButtonElement;
  private readonly layoutButton: HTMLButtonElement;
  private readonly loadScale = element(
    "div", { class: "load-scale", hidden: "" },
    element("span", {}, "torque 0 %"), element("i"), element("span", {}, "limit"),
  );
  private readonly muscleScale = element(
    "div", { class: "load-scale muscle-scale", hidden: "" },
    element("span", {}, "muscle at rest"), element("i"), element("span", {}, "all its strength"), element("i"), element("span", {}, "more"),
  );

  constructor(private readonly stage: Stage, buttons: HTMLButtonElement[]) {
    this.viewButtons = viewNames.map(([view, text], i) =>
      toggleButton(text, false, `${text} view (${i + 1})`, () => this.setView(view)));
    this.followButton = menuButton("Camera follows", "V", true, () => this.toggleFollow());
    const known = layerNames.filter(([name]) => name !== "muscles" || stage.hasMuscles);
    this.layerNames = known.map(([name]) => name);
    this.layerButtons = known.map(([name, text, key]) =>
      menuButton(text, key, stage.layers[name], () => this.toggleLayer(name)));
    this.layoutButton = menuButton("Side by side", "O", false, () => this.toggleLayout());
    stage.onViewChange = (view) => {
      this.view = view;
      viewNames.forEach(([name], i) => press(this.viewButtons[i], name === view));
    };
    this.objects = [
      element("div", { class: "tools" },
        element("div", { class: "tool-group", "aria-label": "Camera" }, ...this.viewButtons),
        element("div", { class: "tool-group" }, ...buttons, this.menu())),
      this.loadScale,
      this.muscleScale,
    ];
    this.showScales();
    this.shortcuts = [
      ...viewNames.map(([view, text], i): Shortcut => ({
        keys: [String(i + 1)], shown: String(i + 1), text: `${text} view`, run: () => this.setView(view),
      })),
      { keys: ["v"], shown: "V", text: "Camera follows", run: () => this.toggleFollow() },
      { keys: ["o"], shown: "O", text: "Overlay or side by side", run: () => this.toggleLayout() },
      ...known.map(([name, text, key]): Shortcut => ({
        keys: [key.toLowerCase()], shown: key, text, run: () => this.toggleLayer(name),
      })),
    ];
  }

  private menu(): HTMLElement {
    const list = element("div", { class: "menu" }, ...this.layerButtons, this.layoutButton, this.followButton);
    const menu = element("details", { class: "show" }, element("summary", { class: "toggle" }, "Show"), list);
    document.addEventListener("pointerdown", (event) => {
      if (!menu.contains(event.target as Node)) menu.open = false;
    });
    return menu;
  }

  setView(view: ViewName): void {
    this.stage.setView(view);
    this.stage.onNeedsDraw();
  }

  toggleLayout(): void {
    this.sideBySide = !this.sideBySide;
    press(this.layoutButton, this.sideBySide);
    this.stage.setLayout(this.sideBySide ? "side-by-side" : "overlay");
    if (this.view) this.stage.setView(this.view); // the views are narrower or wider now
    this.stage.onNeedsDraw();
  }

  private toggleLayer(name: keyof Layers): void {
    const { layers } = this.stage;
    layers[name] = !layers[name];
    this.layerNames.forEach((n, i) => press(this.layerButtons[i], layers[n]));
    this.showScales();
    this.stage.applyLayers();
    this.stage.onNeedsDraw();
  }

  private showScales(): void {
    const { layers } = this.stage;
    this.loadScale.hidden = !layers.torque;
    this.muscleScale.hidden = !layers.muscles;
  }

  private toggleFollow(): void {
    this.stage.followed = !this.stage.followed;
    this.stage.recentre();
    press(this.followButton, this.stage.followed);
    this.stage.onNeedsDraw();
  }
}
