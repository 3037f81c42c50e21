//! Window laws worked by hand, acknowledgment by acknowledgment, with the sections of their RFCs.

mod bbr;
mod bbr3;
mod bic;
mod cubic;
mod dctcp;
mod external;
mod h_tcp;
mod high_speed;
mod hosts;
mod hybla;
mod hystart;
mod illinois;
mod ledbat;
mod prague;
mod scalable;
mod vegas;
mod westwood;
