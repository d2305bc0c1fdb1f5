package formicary.jade;

import jade.domain.FIPANames.InteractionProtocol;
import jade.lang.acl.ACLMessage;
import jade.proto.ContractNetInitiator;
import java.util.Vector;

/** Makes contract nets, one after the other, and awards the task to the cheapest bidder. */
public final class Calling extends Conversing {
    @Override
    protected void begin() {
        addBehaviour(new Call());
    }

    private ACLMessage call() {
        return opening(ACLMessage.CFP, InteractionProtocol.FIPA_CONTRACT_NET);
    }

    private final class Call extends ContractNetInitiator {
        Call() {
            super(Calling.this, call());
        }

        @Override
        @SuppressWarnings({"rawtypes", "unchecked"})
        protected void handleAllResponses(Vector bids, Vector answers) {
            check(bids, partners(), ACLMessage.PROPOSE);
            ACLMessage best = null;
            for (Object one : bids) {
                ACLMessage bid = (ACLMessage) one;
                if (best == null || price(bid) < price(best)) {
                    best = bid;
                }
            }
            for (Object one : bids) {
                ACLMessage answer = ((ACLMessage) one).createReply();
                answer.setPerformative(one == best ? ACLMessage.ACCEPT_PROPOSAL : ACLMessage.REJECT_PROPOSAL);
                answers.add(answer);
            }
        }

        @Override
        @SuppressWarnings("rawtypes")
        protected void handleAllResultNotifications(Vector results) {
            check(results, 1, ACLMessage.INFORM);
        }

        @Override
        public int onEnd() {
            int code = super.onEnd();
            if (goesOn()) {
                reset(call());
                addBehaviour(this);
            }
            return code;
        }

        private int price(ACLMessage bid) {
            return Integer.parseInt(bid.getContent());
        }
    }
}
