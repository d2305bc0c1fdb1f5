package formicary.jade;

import jade.core.Agent;
import jade.lang.acl.ACLMessage;
import java.util.concurrent.CountDownLatch;

/** Answers every message with its content. Its argument: the latch to count down when it is there. */
public final class Echo extends Agent {
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
                answer(Echo.this, message);
            }
        });
        ((CountDownLatch) getArguments()[0]).countDown();
    }

    /** Have an agent answer a message with its content. */
    static void answer(Agent agent, ACLMessage message) {
        ACLMessage answer = message.createReply();
        answer.setPerformative(ACLMessage.INFORM);
        answer.setContent(message.getContent());
        agent.send(answer);
    }
}
