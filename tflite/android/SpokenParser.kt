package com.example.spoken

import android.content.Context
import com.google.ai.edge.litert.CompiledModel
import org.json.JSONArray
import org.json.JSONObject

/** An intent of the ranking; the active ones are the answer. */
data class Intent(val name: String, val probability: Float, val active: Boolean)

/** A slot; [start] and [end] count UTF-16 units, as Kotlin strings do. */
data class Slot(
    val name: String, val value: String, val start: Int, val end: Int, val confidence: Float,
)

data class Frame(
    val text: String, val intents: List<Intent>, val slots: List<Slot>,
    val isUnknown: Boolean, val truncated: Boolean,
)

/**
 * Parses text with a `.tflite` file of keras_slu that takes `codepoints`.
 *
 * `model.tflite` and `model.json` lie in the app's assets. Not thread-safe.
 */
class SpokenParser(context: Context) : AutoCloseable {
    private val contract =
        JSONObject(context.assets.open("model.json").bufferedReader().use { it.readText() })
    private val classes = contract.getJSONArray("classes").strings()
    private val tags = contract.getJSONArray("tags").strings()
    private val size = contract.getJSONObject("input").getJSONArray("shape").getInt(1)

    private val model = CompiledModel.create(
        context.assets, "model.tflite",
        CompiledModel.Options.CPU.apply { cpuOptions = CompiledModel.CpuOptions(numThreads = 1) },
    )
    private val input = model.createInputBuffer("codepoints")
    private val outputs =
        contract.getJSONObject("outputs").keys().asSequence().associateWith { model.createOutputBuffer(it) }

    fun parse(text: String): Frame {
        // The model counts code points, of which one may be two units of the string.
        val points = text.codePoints().toArray()
        // 0 pads; a NUL in the text separates words, as a space does.
        input.writeInt(IntArray(size) { at -> if (at < points.size) points[at].orSpace() else 0 })
        model.run(mapOf("codepoints" to input), outputs)
        return Frame(
            text, intents(), slots(text),
            isUnknown = ints("is_unknown")[0] == 1, truncated = ints("truncated")[0] == 1,
        )
    }

    /** A class such as "a#b" stands for several intents, "" for none. */
    private fun intents(): List<Intent> {
        val probabilities = floats("intent_probabilities")
        val totals = mutableMapOf<String, Float>()
        classes.forEachIndexed { at, name ->
            for (intent in members(name)) {
                totals[intent] = (totals[intent] ?: 0f) + probabilities[at]
            }
        }
        // With `intent_active` each class is one intent, and any number are active.
        val active = if ("intent_active" in outputs) {
            val flags = ints("intent_active")
            classes.filterIndexed { at, _ -> flags[at] == 1 }
        } else {
            members(classes[probabilities.indices.maxBy { probabilities[it] }])
        }
        return totals.map { (name, sum) -> Intent(name, minOf(sum, 1f), name in active) }
            .sortedByDescending { it.probability }
    }

    /** Spans of `B-x I-x I-x`; the confidence is that of the whole span. */
    private fun slots(text: String): List<Slot> {
        val (starts, ends, ids) = listOf("starts", "ends", "tags").map { ints(it) }
        val confidence = floats("slot_confidence")
        val slots = mutableListOf<Slot>()
        var previous = ""
        for (at in ids.indices) {
            if (starts[at] < 0) break // padding
            val tag = tags[ids[at]]
            val name = tag.substringAfter('-', "")
            val end = text.offsetByCodePoints(0, ends[at])
            if (tag.startsWith("I") && name == previous) {
                val slot = slots.removeAt(slots.lastIndex)
                slots += slot.copy(end = end, value = text.substring(slot.start, end))
            } else if (name.isNotEmpty()) {
                val start = text.offsetByCodePoints(0, starts[at])
                slots += Slot(name, text.substring(start, end), start, end, confidence[at])
            }
            previous = name
        }
        return slots
    }

    override fun close() {
        outputs.values.forEach { it.close() }
        input.close()
        model.close()
    }

    private fun ints(name: String) = outputs.getValue(name).readInt()

    private fun floats(name: String) = outputs.getValue(name).readFloat()

    private fun members(name: String) = name.split("#").filter { it.isNotEmpty() }

    private fun Int.orSpace() = if (this == 0) ' '.code else this

    private fun JSONArray.strings() = List(length()) { getString(it) }
}
