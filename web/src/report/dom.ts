// Small helpers to build the page.
type Attributes = Record<string, string | ((event: never) => void)>;

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") node.addEventListener(name, value as EventListener);
    else node.setAttribute(name, value);
  }
  node.append(...children);
  return node;
}

const icons: Record<string, string> = {
  play: "M7 4.5v15l12-7.5z",
  pause: "M6.5 5h4v14h-4zM13.5 5h4v14h-4z",
  back: "M17.5 6v12l-8.5-6zM6 6h2v12H6z",
  forward: "M6.5 6v12l8.5-6zM16 6h2v12h-2z",
  loop: "M7 7h9v-3l4.5 4.2L16 12.4V9.5H9.5v3H7zM17 17H8v3l-4.5-4.2L8 11.6v2.9h6.5v-3H17z",
  theme: "M12 3a9 9 0 1 0 0 18 9 9 0 0 0 0-18zm0 2v14a7 7 0 0 1 0-14z",
  camera: "M9 5 7.6 7H5a2 2 0 0 0-2 2v8a2 2 0 0 0 2 2h14a2 2 0 0 0 2-2V9a2 2 0 0 0-2-2h-2.6L15 5zM12 9.2a3.9 3.9 0 1 1 0 7.8 3.9 3.9 0 0 1 0-7.8zm0 1.8a2.1 2.1 0 1 0 0 4.2 2.1 2.1 0 0 0 0-4.2z",
  record: "M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16zm0 2a6 6 0 1 1 0 12 6 6 0 0 1 0-12zm0 2.6a3.4 3.4 0 1 0 0 6.8 3.4 3.4 0 0 0 0-6.8z",
  help: "M11 16h2.2v2.2H11zM12.1 5.5c-2.3 0-3.9 1.4-3.9 3.5h2.1c0-1 .7-1.7 1.8-1.7s1.8.6 1.8 1.6c0 .9-.5 1.3-1.4 2-1 .7-1.5 1.5-1.4 3h2.1c0-1 .4-1.5 1.3-2.1 1-.7 1.6-1.6 1.6-2.9 0-2.1-1.7-3.4-4-3.4z",
};

export function icon(name: keyof typeof icons): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  path.setAttribute("d", icons[name]);
  path.setAttribute("fill-rule", "evenodd");
  svg.append(path);
  return svg;
}

// A button with a picture; its tool tip names the key that does the same.
export function roundButton(picture: keyof typeof icons, name: string, key: string, run: () => void): HTMLButtonElement {
  const button = element("button", { type: "button", class: "round", title: `${name} (${key})`, "aria-label": name }, icon(picture));
  button.addEventListener("click", run);
  return button;
}

// A button that stays down.
export function toggleButton(text: string, pressed: boolean, title: string, run: () => void): HTMLButtonElement {
  const button = element("button", { type: "button", class: "toggle", title }, text);
  press(button, pressed);
  button.addEventListener("click", run);
  return button;
}

// The same as a line of a menu, with its key at the end.
export function menuButton(text: string, key: string, pressed: boolean, run: () => void): HTMLButtonElement {
  const button = toggleButton("", pressed, `${text} (${key})`, run);
  button.append(element("span", {}, text), element("kbd", {}, key));
  return button;
}

export function press(button: HTMLButtonElement, pressed: boolean): void {
  button.setAttribute("aria-pressed", String(pressed));
}

export function cssColor(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
