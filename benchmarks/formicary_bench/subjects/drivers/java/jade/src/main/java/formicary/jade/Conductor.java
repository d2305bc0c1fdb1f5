package formicary.jade;

import formicary.lab.Job;
import jade.core.AID;
import jade.core.Agent;
import jade.lang.acl.ACLMessage;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.IntConsumer;

/**
 * Makes loops of an operation whenever it is given a `Loop`; subclasses say what one is.
 *
 * Its arguments: the latch to count down when it is there, the job, and the names of the containers that agents go
 * to, in their order.
 */
abstract class Conductor extends Agent {
    private static final long MOST_MILLISECONDS = 60_000; // until an agent answers

    protected Job job;
    protected List<String> places;

    /** A loop that is asked for. */
    static final class Loop {
        final int size;
        final IntConsumer step;
        final CompletableFuture<Long> took = new CompletableFuture<>();

        Loop(int size, IntConsumer step) {
            this.size = size;
            this.step = step;
        }
    }

    @Override
    @SuppressWarnings("unchecked")
    protected void setup() {
        Object[] given = getArguments();
        job = (Job) given[1];
        places = (List<String>) given[2];
        setEnabledO2ACommunication(true, 1);
        begin();
        addBehaviour(new Wakeful() {
            @Override
            public void action() {
                Loop loop = (Loop) getO2AObject();
                if (loop == null) {
                    block();
                    return;
                }
                try {
                    loop.took.complete(make(loop.size, loop.step));
                } catch (Exception | Error error) {
                    loop.took.completeExceptionally(error);
                }
            }
        });
        ((CountDownLatch) given[0]).countDown();
    }

    /** Prepare what all loops need. */
    protected void begin() {}

    /** Make a loop, clean up, and return the nanoseconds that its operations took. */
    protected abstract long make(int size, IntConsumer step) throws Exception;

    /** Send an agent a request. */
    protected void ask(AID agent, String content) {
        ACLMessage message = new ACLMessage(ACLMessage.REQUEST);
        message.addReceiver(agent);
        message.setContent(content);
        send(message);
    }

    /** Wait for an agent to say that something is done. */
    protected void await() {
        while (true) {
            ACLMessage answer = blockingReceive(MOST_MILLISECONDS);
            if (answer == null) {
                throw new IllegalStateException("no agent has answered for " + MOST_MILLISECONDS / 1000 + " s");
            }
            if (answer.getPerformative() == ACLMessage.INFORM) {
                return;
            }
            if (answer.getPerformative() != ACLMessage.AGREE) {
                throw new IllegalStateException(answer.toString()); // the platform says that it cannot be done
            }
        }
    }

    /** Have agents end, wherever they are. */
    protected void sweep(List<AID> agents) {
        for (AID agent : agents) {
            ask(agent, Guest.END);
        }
        for (int left = agents.size(); left > 0; left--) {
            await();
        }
    }
}
