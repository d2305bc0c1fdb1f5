package formicary.jade;

import formicary.lab.Times;
import jade.core.AID;
import jade.core.Agent;
import jade.lang.acl.ACLMessage;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/**
 * Sends a message when the answer to the one before has come, a new message each time, to one partner or to several in
 * turn; answers others that do the same.
 *
 * Its arguments: the latch to count down when it is there, its partners' names, the content, where the times
 * go, and what to call at the end of a round. A round begins when it is given an object.
 */
public final class Ask extends Agent {
    private List<AID> partners;
    private String content;
    private Times times;
    private Runnable finished;

    @Override
    protected void setup() {
        Object[] given = getArguments();
        partners = ((List<?>) given[1]).stream().map(name -> new AID((String) name, AID.ISLOCALNAME)).toList();
        content = (String) given[2];
        times = (Times) given[3];
        finished = (Runnable) given[4];
        setEnabledO2ACommunication(true, 1);
        addBehaviour(new Asking());
        ((CountDownLatch) given[0]).countDown();
    }

    private void ask() {
        times.begin();
        ACLMessage message = new ACLMessage(ACLMessage.REQUEST);
        message.addReceiver(partners.get(times.done() % partners.size()));
        message.setContent(content);
        send(message);
    }

    private final class Asking extends Wakeful {
        private boolean begun;

        @Override
        public void action() {
            if (!begun && begin()) {
                return;
            }
            ACLMessage answer = receive();
            if (answer == null) {
                block();
            } else if (answer.getPerformative() == ACLMessage.REQUEST) { // in a ring all answer, too
                Echo.answer(Ask.this, answer);
            } else if (answer.getPerformative() != ACLMessage.INFORM) {
                throw new IllegalStateException(answer.toString()); // the platform says that it cannot deliver
            } else if (times.end()) {
                ask();
            } else {
                begun = false;
                finished.run();
            }
        }

        /** Begin a round if it is time; before it and after it, others of a ring may ask. */
        private boolean begin() {
            begun = getO2AObject() != null;
            if (begun) {
                ask();
            }
            return begun;
        }
    }
}
