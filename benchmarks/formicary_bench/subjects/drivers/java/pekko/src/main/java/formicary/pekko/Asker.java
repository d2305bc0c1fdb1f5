package formicary.pekko;

import formicary.lab.Times;
import org.apache.pekko.actor.typed.ActorRef;
import org.apache.pekko.actor.typed.Behavior;
import org.apache.pekko.actor.typed.javadsl.AbstractBehavior;
import org.apache.pekko.actor.typed.javadsl.ActorContext;
import org.apache.pekko.actor.typed.javadsl.Behaviors;
import org.apache.pekko.actor.typed.javadsl.Receive;

/** Sends a message when the answer to the one before has come, a new message each time. */
final class Asker extends AbstractBehavior<ToAsker> {
    private final ActorRef<Question> partner;
    private final String body;
    private final Times times;
    private final Runnable finished;

    private Asker(
            ActorContext<ToAsker> context, ActorRef<Question> partner, String body, Times times, Runnable finished) {
        super(context);
        this.partner = partner;
        this.body = body;
        this.times = times;
        this.finished = finished;
    }

    static Behavior<ToAsker> create(ActorRef<Question> partner, String body, Times times, Runnable finished) {
        return Behaviors.setup(context -> new Asker(context, partner, body, times, finished));
    }

    @Override
    public Receive<ToAsker> createReceive() {
        return newReceiveBuilder().onMessage(Answer.class, this::answered).onMessage(Begin.class, this::begun).build();
    }

    private Behavior<ToAsker> answered(Answer answer) {
        if (times.end()) {
            ask();
        } else {
            finished.run();
        }
        return this;
    }

    private Behavior<ToAsker> begun(Begin begin) {
        ask();
        return this;
    }

    private void ask() {
        times.begin();
        partner.tell(new Question(body, getContext().getSelf()));
    }
}
