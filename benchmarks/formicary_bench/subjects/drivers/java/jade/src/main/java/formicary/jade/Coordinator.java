package formicary.jade;

import jade.core.AID;
import jade.lang.acl.ACLMessage;

/** Has one agent fetch something and another one print it, and tells the client that it is done. */
public final class Coordinator extends Answering {
    private final AID fetcher = new AID("fetcher", AID.ISLOCALNAME);
    private final AID printer = new AID("printer", AID.ISLOCALNAME);
    private ACLMessage request;

    @Override
    protected void take(ACLMessage message) {
        if (message.getPerformative() == ACLMessage.REQUEST) {
            request = message;
            ask(fetcher, null);
        } else if (message.getPerformative() != ACLMessage.INFORM) {
            throw new IllegalStateException(message.toString()); // the platform says that it cannot deliver
        } else if (message.getContent() != null) {
            ask(printer, message.getContent());
        } else {
            answer(request, null);
        }
    }

    private void ask(AID agent, String content) {
        ACLMessage message = new ACLMessage(ACLMessage.REQUEST);
        message.addReceiver(agent);
        message.setContent(content);
        send(message);
    }
}
