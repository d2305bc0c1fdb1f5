package formicary.jade;

import jade.core.Agent;
import jade.domain.FIPANames.InteractionProtocol;
import jade.lang.acl.ACLMessage;
import jade.proto.AchieveREResponder;
import java.util.concurrent.CountDownLatch;

/** Does what it is asked for, at once: it does not agree first. Its argument: the latch to count down when it is there. */
public final class Doing extends Agent {
    @Override
    protected void setup() {
        addBehaviour(new AchieveREResponder(this, AchieveREResponder.createMessageTemplate(InteractionProtocol.FIPA_REQUEST)) {
            @Override
            protected ACLMessage handleRequest(ACLMessage request) {
                return null;
            }

            @Override
            protected ACLMessage prepareResultNotification(ACLMessage request, ACLMessage response) {
                ACLMessage result = request.createReply();
                result.setPerformative(ACLMessage.INFORM);
                result.setContent(request.getContent());
                return result;
            }
        });
        ((CountDownLatch) getArguments()[0]).countDown();
    }
}
