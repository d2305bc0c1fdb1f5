package formicary.jetlang;

import org.jetlang.channels.Channel;

/** What is sent: a body, and who wants it back. */
record Question(String body, Channel<String> from) {
}
