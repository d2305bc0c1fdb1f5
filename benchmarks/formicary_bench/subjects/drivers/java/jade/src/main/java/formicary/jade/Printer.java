package formicary.jade;

import jade.lang.acl.ACLMessage;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** Prints what it is sent where nobody looks. */
public final class Printer extends Answering {
    private final PrintStream console = new PrintStream(OutputStream.nullOutputStream(), false, StandardCharsets.UTF_8);

    @Override
    protected void take(ACLMessage message) {
        console.println(message.getContent());
        answer(message, null);
    }
}
