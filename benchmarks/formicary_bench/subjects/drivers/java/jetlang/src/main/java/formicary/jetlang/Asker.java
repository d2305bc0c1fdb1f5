package formicary.jetlang;

import formicary.lab.Times;
import org.jetlang.channels.Channel;
import org.jetlang.channels.MemoryChannel;
import org.jetlang.fibers.Fiber;

/** Sends a message when the answer to the one before has come, a new message each time. */
final class Asker {
    private final Channel<String> answers = new MemoryChannel<>();
    private final Fiber fiber;
    private final Channel<Question> partner;
    private final String body;
    private final Times times;
    private final Runnable finished;

    Asker(Fiber fiber, Channel<Question> partner, String body, Times times, Runnable finished) {
        this.fiber = fiber;
        this.partner = partner;
        this.body = body;
        this.times = times;
        this.finished = finished;
        answers.subscribe(fiber, this::answered);
    }

    void begin() {
        fiber.execute(this::ask);
    }

    private void answered(String answer) {
        if (times.end()) {
            ask();
        } else {
            finished.run();
        }
    }

    private void ask() {
        times.begin();
        partner.publish(new Question(body, answers));
    }
}
