package formicary.pekko;

import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.Behaviors;

/** Answers every message with its body. */
final class Echo {
    private Echo() {
    }

    static Behavior<Question> create() {
        return Behaviors.receiveMessage(question -> {
            question.from().tell(new Answer(question.body()));
            return Behaviors.same();
        });
    }
}
