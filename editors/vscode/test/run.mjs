// Bundles the tests and runs them with Node's own runner; `vscode` is the mock beside this file.

import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const out = join(here, "..", "dist", "test");
rmSync(out, { recursive: true, force: true });
mkdirSync(join(out, "modules", "vscode"), { recursive: true });
cpSync(join(here, "vscode.js"), join(out, "modules", "vscode", "index.js"));
const tests = readdirSync(here).filter((name) => name.endsWith(".test.ts"));
await build({
  entryPoints: tests.map((name) => join(here, name)),
  bundle: true,
  platform: "node",
  external: ["vscode"],
  outdir: out,
  sourcemap: "inline",
  logLevel: "warning",
});
const files = tests.map((name) => join(out, name.replace(/\.ts$/, ".js")));
const env = { ...process.env, NODE_PATH: join(out, "modules"), RESPLINT_EXTENSION: join(here, "..") };
const done = spawnSync(process.execPath, ["--test", "--test-reporter=tap", "--enable-source-maps", ...files], { stdio: "inherit", env });
process.exit(done.status ?? 1);
