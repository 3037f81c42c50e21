// Asks taplo's language server what may stand at the end of a text: node ask.cjs LSP FOLDER < TEXT.
const fs = require("fs"), path = require("path");
const [lsp, root] = process.argv.slice(2);
const { TaploLsp } = require(lsp);
const uri = `file://${root}/scenario.toml`, text = fs.readFileSync(0, "utf8");
const waiting = new Map();
let server, number = 0;

const environment = {
  now: () => new Date(), envVar: (name) => process.env[name], envVars: () => Object.entries(process.env),
  stdErrAtty: () => false, stdin: process.stdin, stdout: process.stderr, stderr: process.stderr,
  glob: () => [], readFile: (file) => fs.promises.readFile(file), writeFile: () => Promise.reject(new Error("reads only")),
  urlToFilePath: (url) => decodeURI(url).replace("file://", ""), isAbsolute: path.isAbsolute, cwd: () => root,
  findConfigFile: () => undefined, fetch: { fetch: () => Promise.reject(new Error("no network")), Headers, Request, Response },
};

function received(message) {
  if (message.method === "workspace/configuration") {
    server.send({ jsonrpc: "2.0", id: message.id, result: [{ schema: { enabled: true, catalogs: [] } }] });
  } else if (message.method && message.id !== undefined) {
    server.send({ jsonrpc: "2.0", id: message.id, result: null });
  } else if (message.method === "taplo/didChangeSchemaAssociation" && message.params.schemaUri) {
    waiting.get("schema")?.();
  } else {
    waiting.get(message.id)?.(message);
  }
}

const tell = (method, params) => server.send({ jsonrpc: "2.0", method, params });
const ask = (method, params) =>
  new Promise((answered) => {
    number += 1;
    waiting.set(number, answered);
    server.send({ jsonrpc: "2.0", id: number, method, params });
  });

(async () => {
  server = await TaploLsp.initialize(environment, { onMessage: received });
  const folder = { uri: `file://${root}`, name: "scenarios" };
  const completionItem = { documentationFormat: ["markdown"], snippetSupport: false };
  const capabilities = {
    textDocument: { completion: { completionItem } }, workspace: { configuration: true, workspaceFolders: true },
  };
  await ask("initialize", { processId: null, rootUri: folder.uri, workspaceFolders: [folder], capabilities });
  tell("initialized", {});
  const associated = new Promise((done) => waiting.set("schema", done));
  tell("textDocument/didOpen", { textDocument: { uri, languageId: "toml", version: 1, text } });
  await associated;
  const lines = text.split("\n");
  const position = { line: lines.length - 1, character: lines.at(-1).length };
  const answer = await ask("textDocument/completion", { textDocument: { uri }, position });
  console.log("\n" + JSON.stringify(answer.result));
  process.exit(0);
})();
