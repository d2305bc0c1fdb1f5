package formicary.jade;

import formicary.lab.Times;
import jade.core.AID;
import jade.core.Agent;
import jade.lang.acl.ACLMessage;
import java.util.List;
import java.util.Vector;
import java.util.concurrent.CountDownLatch;

/**
 * Has one conversation after the other by a behaviour of JADE's; subclasses say which. A round begins when it is given
 * an object.
 *
 * Its arguments are those of `Ask`; each conversation is with all partners.
 */
abstract class Conversing extends Agent {
    private List<AID> partners;
    private String content;
    /** Where the times go. */
    protected Times times;
    private Runnable finished;

    @Override
    protected void setup() {
        Object[] given = getArguments();
        partners = ((List<?>) given[1]).stream().map(name -> new AID((String) name, AID.ISLOCALNAME)).toList();
        content = (String) given[2];
        times = (Times) given[3];
        finished = (Runnable) given[4];
        setEnabledO2ACommunication(true, 1);
        addBehaviour(new Waiting());
        ((CountDownLatch) given[0]).countDown();
    }

    /** Begin the first conversation of a round. */
    protected abstract void begin();

    /** Return the message that begins another conversation. */
    protected final ACLMessage opening(int performative, String protocol) {
        times.begin();
        ACLMessage message = new ACLMessage(performative);
        message.setProtocol(protocol);
        message.setContent(content);
        partners.forEach(message::addReceiver);
        return message;
    }

    /** Note that a conversation is over, and return whether another one is to begin. */
    protected final boolean goesOn() {
        if (times.end()) {
            return true;
        }
        endRound();
        return false;
    }

    /** Wait for another round. */
    protected final void endRound() {
        addBehaviour(new Waiting());
        finished.run();
    }

    /** Refuse to go on where not so many have answered, or not as they should. */
    protected final void check(Vector<?> answers, int many, int performative) {
        boolean isRight = answers.size() == many
                && answers.stream().allMatch(answer -> ((ACLMessage) answer).getPerformative() == performative);
        if (!isRight) {
            throw new IllegalStateException("a conversation has come to this: " + answers);
        }
    }

    protected final int partners() {
        return partners.size();
    }

    /** Waits for a round to begin; gone while it lasts, as each message would have it look again. */
    private final class Waiting extends Wakeful {
        private boolean begun;

        @Override
        public void action() {
            begun = getO2AObject() != null;
            if (begun) {
                begin();
            } else {
                block();
            }
        }

        @Override
        public boolean done() {
            return begun;
        }
    }
}
