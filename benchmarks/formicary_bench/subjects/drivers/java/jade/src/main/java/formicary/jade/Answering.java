package formicary.jade;

import jade.core.Agent;
import jade.lang.acl.ACLMessage;

/** Takes one message after the other; subclasses say what to do with one. */
abstract class Answering extends Agent {
    @Override
    protected void setup() {
        addBehaviour(new Wakeful() {
            @Override
            public void action() {
                ACLMessage message = receive();
                if (message == null) {
                    block();
                    return;
                }
                take(message);
            }
        });
    }

    /** Do what a message asks for. */
    protected abstract void take(ACLMessage message);

    /** Tell who has asked that it is done. */
    protected void answer(ACLMessage request, String content) {
        ACLMessage answer = request.createReply();
        answer.setPerformative(ACLMessage.INFORM);
        answer.setContent(content);
        send(answer);
    }
}
