// Serves the page, the runtime and one model on this machine alone.
//
//     node serve.mjs ../han-snips-seed1.tflite [PORT]

import {createHash} from "node:crypto";
import {createReadStream, readFileSync, statSync} from "node:fs";
import {createServer} from "node:http";
import {dirname, extname, join, resolve} from "node:path";
import {fileURLToPath} from "node:url";

const TYPES = {
  ".css": "text/css", ".html": "text/html; charset=utf-8", ".js": "text/javascript",
  ".json": "application/json", ".wasm": "application/wasm",
};
const here = dirname(fileURLToPath(import.meta.url));
const [model, port = "8080"] = process.argv.slice(2);
if (!model?.endsWith(".tflite")) {
  console.error("usage: node serve.mjs MODEL.tflite [PORT]");
  process.exit(2);
}

// Inline scripts are allowed by their hash only, and there is one: the import map.
const importMap = readFileSync(join(here, "index.html"), "utf8")
  .match(/<script type="importmap">([^]*?)<\/script>/)[1];
const hash = createHash("sha256").update(importMap).digest("base64");
const headers = {
  // WebAssembly with threads needs these two.
  "Cross-Origin-Opener-Policy": "same-origin",
  "Cross-Origin-Embedder-Policy": "require-corp",
  // What is typed cannot leave: the page may connect to this server only.
  "Content-Security-Policy": "default-src 'self'; img-src data:; worker-src 'self' blob:; " +
    `script-src 'self' 'wasm-unsafe-eval' 'sha256-${hash}'`,
  "Cache-Control": "no-cache",
};

function fileOf(path) {
  if (path === "/model.tflite") return resolve(model);
  if (path === "/model.json") return resolve(model.replace(/\.tflite$/, ".json"));
  const file = join(here, path === "/" ? "index.html" : path);
  return file.startsWith(join(here, "/")) && extname(file) in TYPES ? file : null;
}

const server = createServer((request, response) => {
  let file, size;
  try {
    file = fileOf(decodeURIComponent(new URL(request.url, "http://localhost").pathname));
    size = statSync(file).size;
  } catch {
    response.writeHead(404, headers).end("no such file\n");
    return;
  }
  const type = TYPES[extname(file)] ?? "application/octet-stream";
  response.writeHead(200, {...headers, "Content-Type": type, "Content-Length": size});
  if (request.method === "HEAD") response.end();
  else createReadStream(file).pipe(response);
});
server.listen(Number(port), "127.0.0.1", () =>
  console.log(`http://localhost:${server.address().port}/`));
