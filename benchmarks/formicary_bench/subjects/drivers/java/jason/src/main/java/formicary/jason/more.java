package formicary.jason;

import jason.asSemantics.DefaultInternalAction;
import jason.asSemantics.TransitionSystem;
import jason.asSemantics.Unifier;
import jason.asSyntax.Term;

/** `formicary.jason.more`: a round trip has ended; succeeds if there is another one to make. */
public final class more extends DefaultInternalAction {
    private transient Asker asker; // each agent has internal actions of its own

    @Override
    public Object execute(TransitionSystem system, Unifier unifier, Term[] given) {
        if (asker == null) {
            asker = Asker.ALL.get(system.getAgArch().getAgName());
        }
        boolean more = asker.times().end();
        if (!more) {
            asker.finished().run();
        }
        return more;
    }
}
