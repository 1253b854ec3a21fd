// A resplint of our own, in a virtual environment of the extension's storage. Nothing happens before the user agrees.

import { mkdir, rm } from "node:fs/promises";
import * as path from "node:path";

import { executableIn, lastLine, type Machine } from "./finding";

/** What pip installs. */
export const REQUIREMENT = "resplint[server] @ git+https://github.com/resplint/resplint";

const OLDEST = "3.10";
const IS_NEW_ENOUGH = `import sys; sys.exit(sys.version_info < (${OLDEST.replace(".", ", ")}))`;

/** Make the environment anew and install the server into it. Throws with one line that says what went wrong. */
export async function install(folder: string, requirement: string, machine: Machine): Promise<void> {
  const python = await newEnoughPython(machine);
  if (!python) {
    throw new Error(`resplint needs Python ${OLDEST} or newer, and none was found on the PATH.`);
  }
  await rm(folder, { recursive: true, force: true });
  // Python looks for modules in the current folder, which may be anybody's: work in one of ours.
  const cwd = path.dirname(folder);
  await mkdir(cwd, { recursive: true });
  await must(machine, cwd, python, ["-m", "venv", folder]);
  const own = executableIn(folder, "python", machine.windows);
  await must(machine, cwd, own, ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", requirement]);
}

async function newEnoughPython(machine: Machine): Promise<string | undefined> {
  for (const name of machine.windows ? ["py", "python"] : ["python3", "python"]) {
    if ((await machine.run(name, ["-c", IS_NEW_ENOUGH])).code === 0) {
      return name;
    }
  }
  return undefined;
}

async function must(machine: Machine, cwd: string, command: string, args: readonly string[]): Promise<void> {
  const ended = await machine.run(command, args, { cwd });
  if (ended.code !== 0) {
    throw new Error(lastLine(ended.output) || `${command} ${args.join(" ")} failed.`);
  }
}
