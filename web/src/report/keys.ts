// Keyboard shortcuts: one list for the handler and for the help people see.
import { element } from "./dom";

export type Shortcut = { keys: string[]; shown: string; text: string; run: (event: KeyboardEvent) => void };

export function listen(shortcuts: Shortcut[]): void {
  window.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target as HTMLElement;
    if (target.closest("select, input")) return;
    const name = event.shiftKey && event.key.startsWith("Arrow") ? `Shift+${event.key}` : event.key;
    const found = shortcuts.find((s) => s.keys.includes(name) || s.keys.includes(name.toLowerCase()));
    if (!found) return;
    event.preventDefault();
    found.run(event);
  });
}

export function helpDialog(shortcuts: Shortcut[]): HTMLDialogElement {
  const list = element("dl");
  for (const { shown, text } of shortcuts) {
    const keys = shown.split(" ").map((key) => element("kbd", {}, key));
    list.append(element("dt", {}, ...keys), element("dd", {}, text));
  }
  const close = element("button", { type: "button", class: "plain" }, "Close");
  const dialog = element(
    "dialog", { class: "help" },
    element("h2", {}, "Keyboard and mouse"), list,
    element("p", {}, "Drag in the scene to orbit, turn the wheel to zoom, drag with the right button to move. Drag in a plot or on the time line to go there; turn the wheel over a plot to look closer, double-click to see all."),
    close,
  );
  close.addEventListener("click", () => dialog.close());
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  return dialog;
}
