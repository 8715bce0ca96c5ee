// Colours of the scene: the simulated characters warm, the reference cool, the rest grey. palette.cc of the film strips
// has the same.
export type Theme = {
  dark: boolean;
  background: string;
  ground: string;
  groundAlternate: string;
  groundLine: string;
  support: string;
  object: string;
  free: string;
  ghost: string;
  force: string;
  com: string;
  polygon: string;
  danger: string;
};

export const lightTheme: Theme = {
  dark: false,
  background: "#f3f4f7",
  ground: "#eaecf0",
  groundAlternate: "#e3e6eb",
  groundLine: "#d3d7de",
  support: "#bfc5ce",
  object: "#a6acb7",
  free: "#6f9e4c",
  ghost: "#4570b8",
  force: "#12897a",
  com: "#20242c",
  polygon: "#12897a",
  danger: "#c8322a",
};

export const darkTheme: Theme = {
  dark: true,
  background: "#14171c",
  ground: "#20242b",
  groundAlternate: "#1c2026",
  groundLine: "#313741",
  support: "#4a525f",
  object: "#767e8c",
  free: "#8bbd63",
  ghost: "#7aa9f5",
  force: "#38cdb8",
  com: "#f2f4f8",
  polygon: "#38cdb8",
  danger: "#ff7a6e",
};

export const actorColors = ["#e8733d", "#3399ad", "#e0ad38", "#996bc2", "#cc5c85", "#739e52"];

export function actorColor(index: number): string {
  return actorColors[index % actorColors.length];
}

// Of a mannequin's surfaces other than its skin: joints and shoes are dark, with a touch of the character's colour, and a
// little less dark on a dark background.
export function surfaceColor(index: number, surface: "joint" | "shoe" | "sole" | "visor", dark: boolean): string {
  if (surface === "sole") return "#e6e6e3";
  if (surface === "visor") return "#1c212b";
  const share = surface === "joint" ? 0.14 : 0.08;
  const channel = (color: string, k: number) => parseInt(color.slice(1 + 2 * k, 3 + 2 * k), 16);
  const slate = dark ? "#4a525e" : "#2b303b";
  const mixed = [0, 1, 2].map((k) => Math.round(channel(slate, k) * (1 - share) + channel(actorColor(index), k) * share));
  return `#${mixed.map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}
