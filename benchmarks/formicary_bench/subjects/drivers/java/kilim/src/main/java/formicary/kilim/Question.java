package formicary.kilim;

import kilim.Mailbox;

/** What is sent: a body, and who wants it back. Not a record, which Kilim's weaver cannot read. */
final class Question {
    final String body;
    final Mailbox<String> from;

    Question(String body, Mailbox<String> from) {
        this.body = body;
        this.from = from;
    }
}
