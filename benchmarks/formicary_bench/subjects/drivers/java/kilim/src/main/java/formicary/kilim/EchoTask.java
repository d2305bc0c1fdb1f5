package formicary.kilim;

import kilim.Mailbox;
import kilim.Pausable;
import kilim.Task;

/** Answers every message with its body. */
final class EchoTask extends Task<Void> {
    private final Mailbox<Question> mailbox;

    EchoTask(Mailbox<Question> mailbox) {
        this.mailbox = mailbox;
    }

    @Override
    public void execute() throws Pausable {
        while (true) {
            Question question = mailbox.get();
            question.from.putnb(question.body);
        }
    }
}
