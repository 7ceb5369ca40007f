// The page: loads the model, then shows what each sentence means as it is typed.

import {load, members} from "./parser.js";

const RUNNERS_UP = 2;
const find = (id) => document.getElementById(id);
const hues = new Map();  // a slot keeps its colour as long as the page is open
let parser = null, asked = 0, speaking = 0;

function element(tag, content = "", className = "") {
  const made = document.createElement(tag);
  made.textContent = content;
  made.className = className;
  return made;
}

function hue(slot) {
  if (!hues.has(slot)) hues.set(slot, (255 + hues.size * 137.5) % 360);
  return hues.get(slot);
}

function percent(p) {
  if (p > 0.995 && p < 1) return "> 99 %";
  if (p > 0 && p < 0.005) return "< 1 %";
  return `${Math.round(100 * p)} %`;
}

function showIntents(intents) {
  const active = intents.filter((intent) => intent.active);
  const others = intents.filter((intent) => !intent.active).slice(0, RUNNERS_UP);
  find("intents-title").textContent = active.length > 1 ? "Intents" : "Intent";
  find("intents").replaceChildren(...active.concat(others).map((intent) => {
    const item = element("li", "", intent.active ? "intent active" : "intent");
    const bar = element("div", "", "bar");
    bar.append(element("span"));
    bar.firstChild.style.setProperty("--percent", 100 * intent.probability);
    item.append(element("b", intent.name), element("i", percent(intent.probability)), bar);
    return item;
  }));
}

// Offsets count code points, and so does `points`; a JavaScript string does not.
function showSlots(points, slots) {
  const sentence = [];
  let at = 0;
  for (const slot of slots) {
    const mark = element("mark", slot.value);
    mark.title = slot.name;
    mark.style.setProperty("--hue", hue(slot.name));
    sentence.push(points.slice(at, slot.start).join(""), mark);
    at = slot.end;
  }
  sentence.push(points.slice(at).join(""));
  find("sentence").replaceChildren(...sentence);
  find("slots-title").textContent = slots.length ? "Slots" : "No slots";
  find("slots").replaceChildren(...slots.map((slot) => {
    const item = element("li"), swatch = element("div", "", "swatch"), both = element("div");
    swatch.style.setProperty("--hue", hue(slot.name));
    both.append(element("b", slot.value), element("span", slot.name));
    item.append(swatch, both, element("i", percent(slot.confidence)));
    return item;
  }));
}

function show({frame, milliseconds}) {
  showIntents(frame.intents);
  showSlots(Array.from(frame.text), frame.slots);
  find("unknown").hidden = !frame.is_unknown;
  find("answer").classList.toggle("unknown", frame.is_unknown);
  find("cut").hidden = !frame.truncated;
  find("state").textContent = `Understood in ${milliseconds.toFixed(1)} ms.`;
  speak((frame.is_unknown ? ["I do not know what this means. Best guess"] : []).concat(
    frame.intents.filter((intent) => intent.active)
      .map((intent) => `${intent.name}, ${percent(intent.probability)}`),
    frame.slots.map((slot) => `${slot.name}: ${slot.value}`),
    frame.truncated ? ["Only the beginning was read"] : []).join(". "));
}

function speak(message) {  // once the typing has paused
  clearTimeout(speaking);
  speaking = setTimeout(() => { find("spoken").textContent = message; }, 800);
}

function fail(title, error) {
  find("progress").hidden = true;
  find("fault").hidden = false;
  find("fault").firstChild.textContent = title;
  find("fault").lastChild.textContent = error.message;
  find("state").textContent = "";
}

async function ask() {
  const text = find("text").value, mine = ++asked;
  find("answer").hidden = !text.trim();
  if (!parser) return;
  if (!text.trim()) {
    find("state").textContent = "The answer follows as you type.";
    return;
  }
  try {
    const answer = await parser.parse(text);
    if (mine === asked) show(answer);
  } catch (error) {
    fail("The model failed.", error);
  }
}

/** Downloads the model, telling how far it is. */
async function download(url) {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} is not there.`);
  const bytes = new Uint8Array(response.headers.get("Content-Length"));
  const size = `${(bytes.length / 1e6).toFixed(0)} MB`;
  let done = 0;
  for await (const chunk of response.body) {
    bytes.set(chunk, done);
    done += chunk.length;
    find("progress").value = done / bytes.length;
    find("state").textContent = `Loading the model (${size}) …`;
  }
  return bytes;
}

function showLabels(contract) {
  const chips = (names) => [...new Set(names)].sort().map((name) => element("span", name));
  find("known-intents").replaceChildren(...chips(contract.classes.flatMap(members)));
  const slots = contract.tags.map((tag) => tag.slice(2)).filter(Boolean);
  find("known-slots").replaceChildren(...chips(slots));
  find("labels").hidden = false;
}

async function start() {
  try {
    const contract = await (await fetch("model.json")).json();
    showLabels(contract);
    const loaded = await load(await download("model.tflite"), contract);
    await loaded.parse("");  // the first run is slow
    parser = loaded;
    find("progress").hidden = true;
    await ask();
  } catch (error) {
    fail("The model cannot be loaded.", error);
  }
}

find("text").addEventListener("input", ask);
// A sentence can be part of the address: /?text=play+hey+jude
find("text").value = new URLSearchParams(location.search).get("text") ?? "";
start();
