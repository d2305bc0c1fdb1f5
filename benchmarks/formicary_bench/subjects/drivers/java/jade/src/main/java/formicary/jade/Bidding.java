package formicary.jade;

import jade.core.Agent;
import jade.domain.FIPANames.InteractionProtocol;
import jade.lang.acl.ACLMessage;
import jade.proto.ContractNetResponder;
import java.util.concurrent.CountDownLatch;

/** Bids for a task, and does it. Its arguments: the latch to count down when it is there, and what it bids. */
public final class Bidding extends Agent {
    @Override
    protected void setup() {
        Object[] given = getArguments();
        String price = String.valueOf(given[1]);
        addBehaviour(new ContractNetResponder(
                this, ContractNetResponder.createMessageTemplate(InteractionProtocol.FIPA_CONTRACT_NET)) {
            @Override
            protected ACLMessage handleCfp(ACLMessage call) {
                return answer(call, ACLMessage.PROPOSE, price);
            }

            @Override
            protected ACLMessage handleAcceptProposal(ACLMessage call, ACLMessage bid, ACLMessage accepted) {
                return answer(accepted, ACLMessage.INFORM, call.getContent());
            }
        });
        ((CountDownLatch) given[0]).countDown();
    }

    private static ACLMessage answer(ACLMessage message, int performative, String content) {
        ACLMessage answer = message.createReply();
        answer.setPerformative(performative);
        answer.setContent(content);
        return answer;
    }
}
