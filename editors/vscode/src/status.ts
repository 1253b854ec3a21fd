// One line in the status bar: whether a scan is under way, and how many findings there are.

import * as vscode from "vscode";

import type { Status } from "./protocol";

export class StatusLine implements vscode.Disposable {
  private readonly item: vscode.StatusBarItem;
  private readonly folders = new Map<string, Status>();

  constructor() {
    this.item = vscode.window.createStatusBarItem("resplint.status", vscode.StatusBarAlignment.Left, 0);
    this.item.name = "resplint";
    this.show("$(circle-slash) resplint", "resplint is not running", "resplint.restart");
    this.item.show();
  }

  /** The server said what a folder is at. */
  update(status: Status): void {
    // While it is scanned again, what was found before still counts.
    const before = this.folders.get(status.uri);
    this.folders.set(status.uri, status.state === "scanning" ? { ...before, ...status } : status);
    const all = [...this.folders.values()];
    const failed = all.find((each) => each.error ?? each.mistake);
    const sum = (level: "error" | "warning" | "note") =>
      all.reduce((total, each) => total + (each.findings?.[level] ?? 0), 0);
    const [errors, warnings, notes] = [sum("error"), sum("warning"), sum("note")];
    const counts = `${errors} errors, ${warnings} warnings, ${notes} notes`;
    if (all.some((each) => each.state === "scanning")) {
      this.show("$(sync~spin) resplint", "resplint is scanning", "resplint.showOutput");
    } else if (failed) {
      this.show("$(error) resplint", failed.error ?? failed.mistake ?? "", "resplint.showOutput");
    } else if (errors || warnings) {
      this.show(`$(warning) resplint ${errors + warnings}`, counts, "workbench.actions.view.problems");
    } else {
      const files = all.reduce((total, each) => total + (each.files?.analysed ?? 0), 0);
      this.show("$(check) resplint", `${counts} in ${files} files that use Redis`, "workbench.actions.view.problems");
    }
  }

  /** There is no server (any more). */
  stopped(why: string): void {
    this.folders.clear();
    this.show("$(circle-slash) resplint", why, "resplint.restart");
  }

  dispose(): void {
    this.item.dispose();
  }

  private show(text: string, tooltip: string, command: string): void {
    Object.assign(this.item, { text, tooltip, command });
  }
}
