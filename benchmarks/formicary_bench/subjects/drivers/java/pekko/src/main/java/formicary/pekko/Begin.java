package formicary.pekko;

/** A round begins. */
record Begin() implements ToAsker {
}
