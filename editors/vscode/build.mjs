// Bundles the extension into one file, and the licences of what is bundled into another.

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { build } from "esbuild";

const { metafile } = await build({
  entryPoints: ["src/extension.ts"],
  bundle: true,
  platform: "node",
  target: "node20",
  external: ["vscode"],
  outfile: "dist/extension.js",
  minify: true,
  metafile: true,
  logLevel: "warning",
});

const inside = Object.keys(metafile.inputs).map((file) => /.*node_modules\/((@[^/]+\/)?[^/]+)/.exec(file)?.[0]);
const folders = [...new Set(inside)].filter((folder) => folder && existsSync(folder)).sort();
const texts = folders.map((folder) => {
  const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const license = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file));
  if (!license) throw new Error(`${name} has no file with its licence`);
  return `${name} ${version}\n\n${readFileSync(join(folder, license), "utf8").trim()}\n`;
});
writeFileSync("dist/licenses.txt", texts.join(`\n${"-".repeat(80)}\n\n`));
