// A .tflite parser of keras_slu: text in, Frame out. Nothing leaves the browser.

import {loadAndCompile, loadLiteRt, Tensor} from "@litertjs/core";

const RUNTIME = new URL("node_modules/@litertjs/core/wasm/", import.meta.url).href;
let runtime = null;  // it loads once for a page

/**
 * Loads a model whose input is `codepoints`.
 *
 * @param {Uint8Array} model the .tflite file.
 * @param {Object} contract the .json file beside it.
 */
export async function load(model, contract) {
  if (contract.input.name !== "codepoints")
    throw new Error("The page needs a model exported with --input codepoints.");
  await (runtime ??= loadLiteRt(RUNTIME));
  return new Parser(await loadAndCompile(model, {accelerator: "wasm"}), contract);
}

class Parser {
  constructor(model, contract) {
    this.model = model;
    this.contract = contract;
    this.last = Promise.resolve();
  }

  /** Gives `{frame, milliseconds}`: a Frame as Python's `to_dict` has it. */
  parse(text) {
    // One at a time: the model has one set of tensors.
    const mine = this.last.then(() => this.#parse(text));
    this.last = mine.catch(() => {});
    return mine;
  }

  async #parse(text) {
    const points = Array.from(text);
    const begun = performance.now();
    const answer = await this.#run(points);
    return {frame: this.#frame(text, points, answer), milliseconds: performance.now() - begun};
  }

  async #run(points) {
    const shape = this.contract.input.shape;
    const values = new Int32Array(shape[1]);
    // 0 pads; a NUL in the text separates words, as a space does.
    points.slice(0, shape[1]).forEach((point, at) => { values[at] = point.codePointAt(0) || 32; });
    const input = new Tensor(values, shape);
    const outputs = await this.model.run({codepoints: input});
    const answer = {};
    for (const [name, tensor] of Object.entries(outputs)) {
      answer[name] = Array.from(tensor.toTypedArray());
      tensor.delete();
    }
    input.delete();
    return answer;
  }

  #frame(text, points, answer) {
    return {
      text,
      intents: rank(this.contract.classes, answer),
      slots: slotsOf(points, answer, this.contract.tags),
      is_unknown: answer.is_unknown[0] === 1,
      truncated: answer.truncated[0] === 1,
    };
  }
}

/** The intents that a class stands for: "a#b" are two, "" none. */
export function members(name) {
  return name ? name.split("#") : [];
}

function rank(classes, answer) {
  const probabilities = answer.intent_probabilities;
  const best = probabilities.indexOf(Math.max(...probabilities));
  // With `intent_active` each class is one intent, and any number are active.
  const active = answer.intent_active
    ? classes.filter((_, at) => answer.intent_active[at] === 1)
    : members(classes[best]);
  const names = [...new Set(classes.flatMap(members))].sort();
  return names
    .map((name) => {
      const parts = probabilities.filter((_, at) => members(classes[at]).includes(name));
      const probability = Math.min(parts.reduce((sum, part) => sum + part, 0), 1);
      return {name, probability, active: active.includes(name)};
    })
    .sort((one, other) => other.probability - one.probability);
}

// BIO tags to slots; an I- that continues nothing begins one, as conlleval reads.
function slotsOf(points, answer, tags) {
  const slots = [];
  let open = null;
  answer.tags.forEach((id, at) => {
    const tag = id < 0 || answer.starts[at] < 0 ? "O" : tags[id];
    const name = tag.slice(2);
    if (!name) {
      open = null;
      return;
    }
    if (tag[0] !== "I" || open?.name !== name) {
      open = {name, start: answer.starts[at], confidence: Math.min(answer.slot_confidence[at], 1)};
      slots.push(open);
    }
    open.end = answer.ends[at];
    open.value = points.slice(open.start, open.end).join("");
  });
  return slots;
}
