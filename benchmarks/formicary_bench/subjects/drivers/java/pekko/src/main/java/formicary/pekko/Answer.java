package formicary.pekko;

/** What comes back: the same body. */
record Answer(String body) implements ToAsker {
}
