package formicary.jade;

import jade.core.AID;
import jade.core.Agent;
import jade.lang.acl.ACLMessage;

/** Waits for requests, and ends when one says so; subclasses may do more. It is created elsewhere, as it is. */
public class Guest extends Agent {
    /** What the request to end says. */
    static final String END = "end";

    @Override
    protected void setup() {
        addBehaviour(new Wakeful() {
            @Override
            public void action() {
                ACLMessage message = receive();
                if (message == null) {
                    block();
                } else if (message.getPerformative() != ACLMessage.REQUEST) {
                    throw new IllegalStateException(message.toString());
                } else if (END.equals(message.getContent())) {
                    tell(message.getSender());
                    doDelete();
                } else {
                    asked(message);
                }
            }
        });
    }

    /** Do what a request says that is not to end. */
    protected void asked(ACLMessage message) {
        throw new IllegalStateException(message.toString());
    }

    /** Tell an agent that something is done. */
    protected final void tell(AID agent) {
        ACLMessage message = new ACLMessage(ACLMessage.INFORM);
        message.addReceiver(agent);
        send(message);
    }
}
