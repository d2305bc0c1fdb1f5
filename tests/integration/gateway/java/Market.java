import jade.core.AID;
import jade.core.Agent;
import jade.core.Profile;
import jade.core.ProfileImpl;
import jade.domain.FIPANames.InteractionProtocol;
import jade.domain.FIPAAgentManagement.RefuseException;
import jade.lang.acl.ACLMessage;
import jade.lang.acl.MessageTemplate;
import jade.proto.AchieveREResponder;
import jade.proto.ContractNetInitiator;
import jade.proto.ContractNetResponder;
import jade.wrapper.AgentContainer;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.Date;
import java.util.Enumeration;
import java.util.Vector;

/**
 * A platform of JADE with sellers that take part in contract nets, and buyers that begin them.
 *
 * Arguments: the port of its HTTP transport, and that of JADE itself. A line "sell NAME PRICE" starts a seller,
 * "buy TASK NAME ADDRESS NAME ADDRESS ..." a buyer that calls agents of other platforms, "echo NAME" an agent
 * that answers requests with their contents; the end of the input is its end. What begins with ": " is said to
 * the test.
 */
public class Market {
    private static AgentContainer container;

    public static void main(String[] arguments) throws Exception {
        Profile profile = new ProfileImpl("127.0.0.1", Integer.parseInt(arguments[1]), "jade-platform");
        profile.setParameter(Profile.LOCAL_HOST, "127.0.0.1");
        String address = "http://127.0.0.1:" + arguments[0] + "/acc";
        profile.setParameter(Profile.MTPS, "jade.mtp.http.MessageTransportProtocol(" + address + ")");
        container = jade.core.Runtime.instance().createMainContainer(profile);
        say("ready");
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] words = line.split(" ");
            if (words[0].equals("sell")) {
                start(words[1], new Seller(words[2]));
            } else if (words[0].equals("echo")) {
                start(words[1], new Echo());
            } else {
                start("Buyer-" + words[1], new Buyer(words));
            }
        }
        System.exit(0);
    }

    private static void start(String name, Agent agent) throws Exception {
        container.acceptNewAgent(name, agent).start();
        say("started " + name);
    }

    static synchronized void say(String line) {
        System.out.println(": " + line);
        System.out.flush();
    }

    static class Seller extends Agent {
        private final String price;

        Seller(String price) {
            this.price = price;
        }

        protected void setup() {
            MessageTemplate cfp = ContractNetResponder.createMessageTemplate(InteractionProtocol.FIPA_CONTRACT_NET);
            addBehaviour(new ContractNetResponder(this, cfp) {
                protected ACLMessage prepareResponse(ACLMessage cfp) throws RefuseException {
                    if (price.equals("none")) {
                        throw new RefuseException("sold-out");
                    }
                    ACLMessage bid = cfp.createReply();
                    bid.setPerformative(ACLMessage.PROPOSE);
                    bid.setContent(price);
                    return bid;
                }

                protected ACLMessage prepareResultNotification(ACLMessage cfp, ACLMessage bid, ACLMessage accept) {
                    ACLMessage done = accept.createReply();
                    done.setPerformative(ACLMessage.INFORM);
                    done.setContent(getLocalName() + " has sold " + cfp.getContent());
                    return done;
                }

                protected void handleRejectProposal(ACLMessage cfp, ACLMessage bid, ACLMessage reject) {
                    say("rejected " + getLocalName());
                }
            });
        }
    }

    static class Buyer extends Agent {
        private final String[] words;

        Buyer(String[] words) {
            this.words = words;
        }

        protected void setup() {
            ACLMessage cfp = new ACLMessage(ACLMessage.CFP);
            for (int i = 2; i < words.length; i += 2) {
                AID seller = new AID(words[i], AID.ISGUID);
                seller.addAddresses(words[i + 1]);
                cfp.addReceiver(seller);
            }
            cfp.setProtocol(InteractionProtocol.FIPA_CONTRACT_NET);
            cfp.setContent(words[1]);
            cfp.setReplyByDate(new Date(System.currentTimeMillis() + 10000));
            addBehaviour(new ContractNetInitiator(this, cfp) {
                protected void handleAllResponses(Vector responses, Vector acceptances) {
                    ACLMessage best = null;
                    for (Enumeration e = responses.elements(); e.hasMoreElements();) {
                        ACLMessage bid = (ACLMessage) e.nextElement();
                        if (bid.getPerformative() != ACLMessage.PROPOSE) {
                            say(ACLMessage.getPerformative(bid.getPerformative()).toLowerCase() + " of "
                                + bid.getSender().getName() + ": " + bid.getContent());
                        } else if (best == null || price(bid) < price(best)) {
                            best = bid;
                        }
                    }
                    for (Enumeration e = responses.elements(); e.hasMoreElements();) {
                        ACLMessage bid = (ACLMessage) e.nextElement();
                        if (bid.getPerformative() == ACLMessage.PROPOSE) {
                            ACLMessage answer = bid.createReply();
                            answer.setPerformative(
                                bid == best ? ACLMessage.ACCEPT_PROPOSAL : ACLMessage.REJECT_PROPOSAL);
                            acceptances.add(answer);
                        }
                    }
                }

                protected void handleInform(ACLMessage inform) {
                    say("bought: " + inform.getContent());
                }
            });
        }

        private static int price(ACLMessage bid) {
            return Integer.parseInt(bid.getContent());
        }
    }

    static class Echo extends Agent {
        protected void setup() {
            MessageTemplate request = AchieveREResponder.createMessageTemplate(InteractionProtocol.FIPA_REQUEST);
            addBehaviour(new AchieveREResponder(this, request) {
                protected ACLMessage handleRequest(ACLMessage request) {
                    ACLMessage answer = request.createReply();
                    answer.setPerformative(ACLMessage.INFORM);
                    answer.setDefaultEnvelope();
                    answer.getEnvelope().setPayloadEncoding("UTF-8");
                    answer.setReplyByDate(request.getReplyByDate());
                    answer.setEncoding(request.getEncoding());
                    answer.setContent(request.getContent());
                    String colour = request.getUserDefinedParameter("colour");
                    if (colour != null) {
                        answer.addUserDefinedParameter("colour", colour);
                    }
                    return answer;
                }
            });
        }
    }
}
