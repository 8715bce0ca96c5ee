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
};

export const actorColors = ["#e8733d", "#3399ad", "#e0ad38", "#996bc2", "#cc5c85", "#739e52"];

export function actorColor(index: number): string {
  return actorColors[index % actorColors.length];
}
