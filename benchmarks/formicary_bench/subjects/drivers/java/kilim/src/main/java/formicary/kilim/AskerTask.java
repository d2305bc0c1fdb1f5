package formicary.kilim;

import formicary.lab.Times;
import kilim.Mailbox;
import kilim.Pausable;
import kilim.Task;

/** Sends a message when the answer to the one before has come, a new message each time. */
final class AskerTask extends Task<Void> {
    final Mailbox<Boolean> rounds = new Mailbox<>();
    private final Mailbox<String> answers = new Mailbox<>();
    private final Mailbox<Question> partner;
    private final String body;
    private final Times times;
    private final Runnable finished;

    AskerTask(Mailbox<Question> partner, String body, Times times, Runnable finished) {
        this.partner = partner;
        this.body = body;
        this.times = times;
        this.finished = finished;
    }

    @Override
    public void execute() throws Pausable {
        while (true) {
            rounds.get();
            do {
                times.begin();
                partner.putnb(new Question(body, answers));
                answers.get();
            } while (times.end());
            finished.run();
        }
    }
}
