package formicary.pekko;

import org.apache.pekko.actor.typed.ActorRef;

/** What is sent: a body, and who wants it back. */
record Question(String body, ActorRef<ToAsker> from) {
}
