// The part of VS Code's API that the extension and its language client use, without VS Code: what the extension shows is
// kept in `mock`, and what a person does is done through it.

const path = require("node:path");
const { pathToFileURL, fileURLToPath } = require("node:url");
const fs = require("node:fs");

class Disposable {
  constructor(work) {
    this.dispose = work ?? (() => {});
  }
  static from(...all) {
    return new Disposable(() => all.forEach((each) => each.dispose()));
  }
}

class EventEmitter {
  listeners = new Set();
  event = (listener, self, disposables) => {
    const bound = self ? listener.bind(self) : listener;
    this.listeners.add(bound);
    const end = new Disposable(() => this.listeners.delete(bound));
    disposables?.push(end);
    return end;
  };
  fire(value) {
    return Promise.all([...this.listeners].map((listener) => listener(value)));
  }
  dispose() {
    this.listeners.clear();
  }
}

class Uri {
  constructor(text) {
    this.text = text;
    const url = new URL(text);
    [this.scheme, this.authority, this.path] = [url.protocol.slice(0, -1), url.host, decodeURIComponent(url.pathname)];
    [this.query, this.fragment] = [url.search.slice(1), url.hash.slice(1)];
  }
  static parse(text) {
    return new Uri(text);
  }
  static file(file) {
    return new Uri(pathToFileURL(file).href);
  }
  static joinPath(uri, ...parts) {
    return Uri.file(path.join(uri.fsPath, ...parts));
  }
  get fsPath() {
    return fileURLToPath(this.text);
  }
  toString() {
    return this.text;
  }
}

class Position {
  constructor(line, character) {
    Object.assign(this, { line, character });
  }
}

class Range {
  constructor(start, end, endLine, endCharacter) {
    const flat = typeof start === "number";
    this.start = flat ? new Position(start, end) : start;
    this.end = flat ? new Position(endLine, endCharacter) : end;
  }
}

class Diagnostic {
  constructor(range, message, severity) {
    Object.assign(this, { range, message, severity });
  }
}

class CodeActionKind {
  constructor(value) {
    this.value = value;
  }
  append(part) {
    return new CodeActionKind(`${this.value}.${part}`);
  }
}
CodeActionKind.Empty = new CodeActionKind("");
CodeActionKind.QuickFix = new CodeActionKind("quickfix");

class CodeAction {
  constructor(title, kind) {
    Object.assign(this, { title, kind });
  }
}

class WorkspaceEdit {
  changes = new Map();
  set(uri, edits) {
    this.changes.set(uri.toString(), edits);
  }
}

class MarkdownString {
  constructor(value = "") {
    this.value = value;
  }
  appendCodeblock(value) {
    this.value += value;
    return this;
  }
}

class TreeItem {
  constructor(label, collapsibleState) {
    Object.assign(this, { label, collapsibleState });
  }
}

class CancellationTokenSource {
  token = { isCancellationRequested: false, onCancellationRequested: new EventEmitter().event };
  cancel() {}
  dispose() {}
}

/** Classes of which only the fields count that they are made with. */
const records = {
  Location: ["uri", "range"],
  DiagnosticRelatedInformation: ["location", "message"],
  Hover: ["contents", "range"],
  TextEdit: ["range", "newText"],
  ThemeIcon: ["id"],
  RelativePattern: ["baseUri", "pattern"],
};

const enumerations = {
  DiagnosticSeverity: ["Error", "Warning", "Information", "Hint"],
  DiagnosticTag: ["None", "Unnecessary", "Deprecated"],
  StatusBarAlignment: ["None", "Left", "Right"],
  TreeItemCollapsibleState: ["None", "Collapsed", "Expanded"],
  ProgressLocation: ["None", "SourceControl", "Window", "Notification"],
  LogLevel: ["Off", "Trace", "Debug", "Info", "Warning", "Error"],
  TextDocumentSaveReason: ["None", "Manual", "AfterDelay", "FocusOut"],
  CodeActionTriggerKind: ["None", "Invoke", "Automatic"],
  UIKind: ["None", "Desktop", "Web"],
  FileChangeType: ["None", "Changed", "Created", "Deleted"],
  SymbolKind: ["File"],
  SymbolTag: ["None", "Deprecated"],
  CompletionItemKind: ["Text"],
  CompletionItemTag: ["None", "Deprecated"],
  CompletionTriggerKind: ["Invoke"],
  SignatureHelpTriggerKind: ["None", "Invoke"],
  DocumentHighlightKind: ["Text"],
  FoldingRangeKind: ["Comment"],
  InlineCompletionTriggerKind: ["Invoke", "Automatic"],
  InsertTextMode: ["None"],
};

const bases = [
  "CallHierarchyItem", "CodeLens", "CompletionItem", "DocumentLink", "InlayHint", "SymbolInformation", "TypeHierarchyItem",
  "TabInputText", "TabInputTextDiff", "TabInputNotebook", "TabInputCustom", "SnippetString", "SnippetTextEdit",
];

class CancellationError extends Error {}

// -- what is shown and what people do --------------------------------------------------------------------------------

const events = new Proxy({}, { get: (all, name) => (all[name] ??= new EventEmitter()) });
const providers = new Map();
const commands = new Map();

const mock = {
  /** Settings by their full name, as a person sets them. */
  settings: {},
  /** Messages that were shown, and what is answered to the next question. */
  messages: [],
  answer: undefined,
  statusBar: undefined,
  trees: new Map(),
  log: [],
  executed: [],
  documents: [],

  setFolders(...folders) {
    workspace.workspaceFolders = folders.map((folder, index) => ({ uri: Uri.file(folder), name: path.basename(folder), index }));
  },
  setTrusted(trusted) {
    workspace.isTrusted = trusted;
  },
  set(name, value) {
    mock.settings[name] = value;
    return events.onDidChangeConfiguration.fire({ affectsConfiguration: (asked) => name.startsWith(asked) });
  },
  async open(file, languageId) {
    const document = documentOf(file, languageId);
    mock.documents.push(document);
    await events.onDidOpenTextDocument.fire(document);
    return document;
  },
  async type(document, text) {
    document.text = text;
    document.version += 1;
    const whole = { range: new Range(0, 0, 1e6, 0), rangeOffset: 0, rangeLength: 1e6, text };
    await events.onDidChangeTextDocument.fire({ document, contentChanges: [whole], reason: undefined });
  },
  /** The problems of a document. */
  problems(document) {
    return mock.collections.flatMap((collection) => collection.get(document.uri) ?? []);
  },
  collections: [],
  /** What the providers of a kind (such as "Hover") say. */
  async provided(kind, document, ...rest) {
    const found = [];
    for (const provider of providers.get(kind) ?? []) {
      const method = { Hover: "provideHover", CodeActions: "provideCodeActions" }[kind];
      const answer = await provider[method](document, ...rest, new CancellationTokenSource().token);
      found.push(...(Array.isArray(answer) ? answer : answer ? [answer] : []));
    }
    return found;
  },
  async resolved(action) {
    for (const provider of providers.get("CodeActions") ?? []) {
      if (provider.resolveCodeAction) return provider.resolveCodeAction(action, new CancellationTokenSource().token);
    }
    return action;
  },
  run(command, ...args) {
    return commands.get(command)(...args);
  },
};

function documentOf(file, languageId) {
  const uri = Uri.file(file);
  return {
    uri, languageId, fileName: file, version: 1, isClosed: false, isDirty: false, isUntitled: false, eol: 1,
    text: fs.readFileSync(file, "utf8"),
    getText() {
      return this.text;
    },
    get lineCount() {
      return this.text.split("\n").length;
    },
  };
}

// -- the API ---------------------------------------------------------------------------------------------------------

const asked = (kind) => (message, ...choices) => {
  mock.messages.push({ kind, message, choices });
  const answer = choices.includes(mock.answer) ? mock.answer : undefined;
  mock.answer = undefined;
  return Promise.resolve(answer);
};

const logged = (level) => (message) => mock.log.push(`${level}: ${message}`);

const window = {
  activeTextEditor: undefined,
  visibleTextEditors: [],
  tabGroups: { all: [], onDidChangeTabs: events.onDidChangeTabs.event, onDidChangeTabGroups: events.onDidChangeTabGroups.event },
  onDidChangeActiveTextEditor: events.onDidChangeActiveTextEditor.event,
  onDidChangeVisibleTextEditors: events.onDidChangeVisibleTextEditors.event,
  showInformationMessage: asked("information"),
  showWarningMessage: asked("warning"),
  showErrorMessage: asked("error"),
  createOutputChannel: (name) => ({
    name, logLevel: 3, onDidChangeLogLevel: events.onDidChangeLogLevel.event, show: () => mock.executed.push("output"),
    append: logged("output"), appendLine: logged("output"), clear() {}, hide() {}, dispose() {}, replace() {},
    trace: logged("trace"), debug: logged("debug"), info: logged("info"), warn: logged("warn"), error: logged("error"),
  }),
  createStatusBarItem: (id, alignment) => {
    mock.statusBar = { id, alignment, visible: false, show() { this.visible = true; }, hide() {}, dispose() { this.visible = false; } };
    return mock.statusBar;
  },
  registerTreeDataProvider: (id, provider) => {
    mock.trees.set(id, provider);
    return new Disposable(() => mock.trees.delete(id));
  },
  withProgress: (options, work) => {
    mock.messages.push({ kind: "progress", message: options.title });
    return work({ report() {} }, new CancellationTokenSource().token);
  },
};

const workspace = {
  isTrusted: true,
  workspaceFolders: undefined,
  notebookDocuments: [],
  get textDocuments() {
    return mock.documents;
  },
  getConfiguration: (section) => ({
    get: (name, otherwise) => mock.settings[section ? `${section}.${name}` : name] ?? otherwise,
    inspect: () => undefined,
  }),
  getWorkspaceFolder: () => workspace.workspaceFolders?.[0],
  createFileSystemWatcher: () => ({
    onDidCreate: new EventEmitter().event, onDidChange: new EventEmitter().event, onDidDelete: new EventEmitter().event,
    dispose() {},
  }),
  applyEdit: async () => true,
};

const languages = {
  match: (selector, document) => {
    const filters = Array.isArray(selector) ? selector : [selector];
    const fits = (one) => (one.language ?? one) === document.languageId && (!one.scheme || one.scheme === document.uri.scheme);
    return filters.some(fits) ? 10 : 0;
  },
  createDiagnosticCollection: (name) => {
    const found = new Map();
    const collection = {
      name,
      set: (uri, items) => void (items?.length ? found.set(uri.toString(), items) : found.delete(uri.toString())),
      get: (uri) => found.get(uri.toString()),
      has: (uri) => found.has(uri.toString()),
      delete: (uri) => found.delete(uri.toString()),
      clear: () => found.clear(),
      forEach: (work) => found.forEach((items, uri) => work(Uri.parse(uri), items, collection)),
      dispose: () => found.clear(),
    };
    mock.collections.push(collection);
    return collection;
  },
};

const register = (kind) => (selector, provider) => {
  const all = providers.get(kind) ?? providers.set(kind, new Set()).get(kind);
  all.add(provider);
  return new Disposable(() => all.delete(provider));
};

for (const name of [
  "DidOpenTextDocument", "DidCloseTextDocument", "DidChangeTextDocument", "WillSaveTextDocument", "DidSaveTextDocument",
  "DidChangeConfiguration", "DidChangeWorkspaceFolders", "DidGrantWorkspaceTrust", "DidCreateFiles", "DidRenameFiles",
  "DidDeleteFiles", "WillCreateFiles", "WillRenameFiles", "WillDeleteFiles", "DidOpenNotebookDocument",
  "DidCloseNotebookDocument", "DidChangeNotebookDocument", "DidSaveNotebookDocument",
]) {
  workspace[`on${name}`] = events[`on${name}`].event;
}

module.exports = {
  version: "1.91.0",
  env: { language: "en", appName: "mock", openExternal: async () => true, uriScheme: "vscode" },
  commands: {
    registerCommand: (name, work) => {
      commands.set(name, work);
      return new Disposable(() => commands.delete(name));
    },
    executeCommand: async (name, ...args) => {
      mock.executed.push([name, ...args]);
      return commands.get(name)?.(...args);
    },
  },
  languages: new Proxy(languages, {
    get: (known, name) => known[name] ?? register(String(name).replace(/^register(.*)Provider$/, "$1")),
  }),
  window, workspace, mock,
  Disposable, EventEmitter, Uri, Position, Range, Diagnostic, CodeActionKind, CodeAction, WorkspaceEdit, MarkdownString, TreeItem,
  CancellationTokenSource, CancellationError,
  ...Object.fromEntries(bases.map((name) => [name, { [name]: class {} }[name]])),
  ...Object.fromEntries(
    Object.entries(records).map(([name, fields]) => [
      name,
      class {
        constructor(...values) {
          fields.forEach((field, index) => (this[field] = values[index]));
        }
      },
    ]),
  ),
  ...Object.fromEntries(
    Object.entries(enumerations).map(([name, values]) => [
      name, Object.fromEntries(values.flatMap((value, index) => [[value, index], [index, value]])),
    ]),
  ),
};
