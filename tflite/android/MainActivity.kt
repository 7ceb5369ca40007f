package com.example.spoken

import android.app.Activity
import android.os.Bundle
import android.text.Editable
import android.text.Spannable
import android.text.SpannableStringBuilder
import android.text.TextWatcher
import android.text.style.BackgroundColorSpan
import android.widget.EditText
import android.widget.LinearLayout
import android.widget.TextView

/** Shows the intent and the slots of what is typed, as it is typed. */
class MainActivity : Activity() {
    private lateinit var parser: SpokenParser

    override fun onCreate(savedInstanceState: Bundle?) {
        super.onCreate(savedInstanceState)
        parser = SpokenParser(this)
        val answer = TextView(this).apply { textSize = 20f }
        val sentence = EditText(this).apply {
            hint = "Type what somebody might say"
            addTextChangedListener(object : TextWatcher {
                override fun afterTextChanged(text: Editable) {
                    answer.text = if (text.isBlank()) "" else show(parser.parse(text.toString()))
                }

                override fun beforeTextChanged(text: CharSequence, start: Int, count: Int, after: Int) = Unit

                override fun onTextChanged(text: CharSequence, start: Int, before: Int, count: Int) = Unit
            })
        }
        setContentView(LinearLayout(this).apply {
            orientation = LinearLayout.VERTICAL
            fitsSystemWindows = true
            setPadding(48, 48, 48, 48)
            addView(sentence)
            addView(answer)
        })
    }

    private fun show(frame: Frame): CharSequence {
        val shown = SpannableStringBuilder()
        for (intent in frame.intents.filter { it.active }) {
            shown.append("${intent.name}  ${(100 * intent.probability).toInt()} %\n")
        }
        if (frame.isUnknown) shown.append("(not sure)\n")
        val first = shown.append("\n").length
        shown.append(frame.text).append("\n\n")
        frame.slots.forEachIndexed { at, slot ->
            val colour = COLOURS[at % COLOURS.size]
            shown.setSpan(
                BackgroundColorSpan(colour), first + slot.start, first + slot.end,
                Spannable.SPAN_EXCLUSIVE_EXCLUSIVE,
            )
            shown.append("${slot.name}: ${slot.value}\n")
        }
        return shown
    }

    override fun onDestroy() {
        parser.close()
        super.onDestroy()
    }

    private companion object {
        val COLOURS = intArrayOf(0x66_3A9BFF, 0x66_FF7A59, 0x66_00B37A, 0x66_A56BFF)
    }
}
