// Makes generated/page_format.ts, the page's types, from page_format.json. Run by `npm run build`.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";

const here = (name) => new URL(name, import.meta.url);
const { types, columns } = JSON.parse(readFileSync(here("page_format.json"), "utf8"));

const fixedLength = (_, type, count) => `[${Array(Number(count)).fill(type).join(", ")}]`;
const typeScript = (type) =>
  type.replace(/\binteger\b/g, "number").replace(/(\w+)\[(\d+)\]/g, fixedLength);
const field = ([name, [type, meaning]]) => {
  const comment = meaning && ` // ${meaning}`;
  return `  ${name === "..." ? "[other: string]" : name}: ${typeScript(type)};${comment}\n`;
};

let text = "// Made from page_format.json by page_format.mjs: change that, not this.\n\n";
for (const [name, fields] of Object.entries(types)) {
  text += `export type ${name} = {\n${Object.entries(fields).map(field).join("")}};\n\n`;
}
// A column's name is checked when the page is compiled: "time", `actor${number}_com`.
const names = Object.keys(columns).map((name) => `\`${name.replace("?", "").replace("<i>", "${number}")}\``);
text += `export type ColumnName =\n${names.map((name) => `  | ${name}\n`).join("").trimEnd()};\n`;
text += "export type Columns = Partial<Record<ColumnName, Column>>;\n\n";

text += "// Where each channel of a column is in its row.\nexport const channelOf = {\n";
for (const [name, { channels, unit }] of Object.entries(columns)) {
  const places = channels.map((c, i) => `${c}: ${i}`).join(", ");
  text += `  ${name.replace(/^\w+<i>_|\?$/g, "")}: { ${places} }, // ${unit}\n`;
}
text += "} as const;\n";

mkdirSync(here("generated"), { recursive: true });
writeFileSync(here("generated/page_format.ts"), text);
