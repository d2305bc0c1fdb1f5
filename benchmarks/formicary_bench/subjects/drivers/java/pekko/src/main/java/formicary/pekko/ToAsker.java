package formicary.pekko;

/** What an actor that asks is told. */
sealed interface ToAsker permits Answer, Begin {
}
