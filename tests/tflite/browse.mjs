// Drives the page in a headless Chromium and prints what it does.
//
//     node browse.mjs URL TEXTS.json FOLDER CHROMIUM
//
// FOLDER has playwright-core among its packages and gets two screenshots.

import {readFileSync} from "node:fs";
import {createRequire} from "node:module";

const [url, texts, folder, executablePath] = process.argv.slice(2);
const {chromium} = createRequire(`${folder}/`)("playwright-core");

// In a container it runs as root, for which Chromium has no sandbox.
const browser = await chromium.launch({executablePath, args: ["--no-sandbox"]});
const page = await browser.newPage({viewport: {width: 390, height: 844}, deviceScaleFactor: 2});
const complaints = [], foreign = [];
page.on("console", (message) => {
  // LiteRT logs there too, of accelerators that a browser does not have.
  const isLog = /^(INFO|WARNING): /.test(message.text());
  if (message.type() === "error" && !isLog) complaints.push(message.text());
});
page.on("pageerror", (error) => complaints.push(String(error)));
page.on("request", (request) => {
  const its = request.url();
  if (!its.startsWith(url) && !/^(data|blob):/.test(its)) foreign.push(its);
});

await page.goto(url);
await page.waitForFunction(() => document.getElementById("progress").hidden, null, {timeout: 240000});
const answers = await page.evaluate(async (texts) => {
  const {load} = await import("./parser.js");
  const model = new Uint8Array(await (await fetch("model.tflite")).arrayBuffer());
  const parser = await load(model, await (await fetch("model.json")).json());
  return Promise.all(texts.map((text) => parser.parse(text)));
}, JSON.parse(readFileSync(texts, "utf8")));

const slots = (answer) => answer.frame.truncated ? 0 : answer.frame.slots.length;
const typed = answers.toSorted((one, other) => slots(other) - slots(one))[0].frame.text;
await page.fill("#text", typed);
await page.waitForFunction(() => /Understood/.test(document.getElementById("state").textContent));
await page.screenshot({path: `${folder}/light.png`, fullPage: true});
await page.emulateMedia({colorScheme: "dark"});
await page.screenshot({path: `${folder}/dark.png`, fullPage: true});
const shown = await page.evaluate(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  return {
    sentence: document.getElementById("sentence").textContent,
    intents: all(".intent.active b").map((name) => name.textContent),
    slots: all("#slots li").map((item) => all("b, span", item).map((part) => part.textContent)),
    width: document.documentElement.scrollWidth,
    unlabelled: all("textarea, progress")
      .filter((field) => !field.labels?.length && !field.ariaLabel).length,
  };
});
console.log(JSON.stringify({answers, typed, shown, complaints, foreign}));
await browser.close();
